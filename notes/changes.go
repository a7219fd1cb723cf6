package notes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
)

// maxLines is how many changes of one kind are listed; the bill of materials has all.
const maxLines = 150

// things are the versions of things by their names.
type things map[string][]string

func (t things) add(name, version string) {
	if !slices.Contains(t[name], version) {
		t[name] = append(t[name], version)
	}
}

// changes lists what differs from another release.
func changes(b *strings.Builder, old, now Release) {
	fmt.Fprintf(b, "\n## Changes since %s\n", text(old.Lock.Version))
	n := b.Len()
	list(b, "Sources", sources(old.Lock), sources(now.Lock))
	list(b, "Images", published(old.Lock), published(now.Lock))
	list(b, "Base images", bases(old.Lock), bases(now.Lock))
	list(b, "Images of others", others(old.Lock), others(now.Lock))
	list(b, "Programs that were not compiled", prebuilt(old.Lock), prebuilt(now.Lock))
	if old.Modules != nil && now.Modules != nil {
		list(b, "Go modules in programs", old.Modules, now.Modules)
	} else {
		b.WriteString("\nThe modules in programs were not compared: the bill of materials of one of the releases is missing.\n")
		return
	}
	if b.Len() == n {
		b.WriteString("\nNothing that the release consists of.\n")
	}
}

// sources are the inputs of programs: their modules or revisions, and the toolchain.
func sources(l *lock.Lock) things {
	t := things{}
	for _, s := range l.Sources {
		version := short(s.Revision)
		if _, v, ok := strings.Cut(s.Module, "@"); ok {
			version = strings.TrimSpace(v + " " + version)
		}
		t.add(s.Name, version)
	}
	if l.Go != "" {
		t.add("Go", strings.TrimPrefix(l.Go, "go"))
	}
	for _, c := range l.Compilers {
		t.add(c.Command+" for "+c.Platform.String(), c.Version)
	}
	return t
}

// published are the images and charts by name, with their platforms: digests differ in any case.
func published(l *lock.Lock) things {
	t := things{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			t.add(i.Name, c.Platform.String())
		}
	}
	for _, c := range l.Charts {
		t.add("chart "+c.Name, "chart")
	}
	return t
}

func bases(l *lock.Lock) things {
	t := things{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			if c.Base != nil {
				t.reference(c.Base.Name, c.Base.Digest.String())
			}
			for _, f := range c.CopiedFrom {
				t.reference(f.Name, f.Digest.String())
			}
		}
	}
	return t
}

func others(l *lock.Lock) things {
	t := things{}
	for _, i := range l.ThirdParty {
		if i.Omitted == "" {
			t.reference(i.Reference, i.Digest.String())
		}
	}
	return t
}

func prebuilt(l *lock.Lock) things {
	t := things{}
	for _, p := range l.Prebuilt {
		t.add(p.Name+" for "+p.Platform.String(), short(p.Digest.String()))
	}
	return t
}

// reference adds an image by its repository; the tag and the digest are its version.
func (t things) reference(name, digest string) {
	name, _, _ = strings.Cut(name, "@")
	tag := ""
	if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") && !strings.HasPrefix(name, "builtin:") {
		name, tag = name[:at], name[at+1:]
	}
	t.add(name, strings.TrimSpace(tag+" "+short(digest)))
}

// short returns the beginning of a digest or a revision.
func short(s string) string {
	algorithm, hex, ok := strings.Cut(s, ":")
	if !ok {
		algorithm, hex = "", s
	} else {
		algorithm += ":"
	}
	return algorithm + hex[:min(len(hex), 12)]
}

// list writes a section with the differences of two sets of things, unless there are none.
func list(b *strings.Builder, title string, old, now things) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(union(old, now))) {
		gone := versions(old[name], now[name])
		come := versions(now[name], old[name])
		switch {
		case old[name] == nil:
			lines = append(lines, fmt.Sprintf("- %s is new: %s", code(name), come))
		case now[name] == nil:
			lines = append(lines, fmt.Sprintf("- %s is gone: %s", code(name), gone))
		case gone != "" && come != "":
			lines = append(lines, fmt.Sprintf("- %s: %s → %s", code(name), gone, come))
		case come != "":
			lines = append(lines, fmt.Sprintf("- %s: also %s", code(name), come))
		case gone != "":
			lines = append(lines, fmt.Sprintf("- %s: no longer %s", code(name), gone))
		}
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", title)
	for n, line := range lines {
		if n == maxLines || b.Len()+len(line) > maxNotes {
			fmt.Fprintf(b, "- and %d more, which the bills of materials list\n", len(lines)-n)
			break
		}
		b.WriteString(line + "\n")
	}
}

func union(a, b things) things {
	all := maps.Clone(a)
	if all == nil {
		all = things{}
	}
	maps.Copy(all, b)
	return all
}

// versions lists the versions that others lack.
func versions(list, others []string) string {
	var all []string
	for _, v := range slices.Sorted(slices.Values(list)) {
		if !slices.Contains(others, v) {
			all = append(all, code(v))
		}
	}
	return strings.Join(all, ", ")
}
