// Package changes reports what differs between two releases, from their locks and bills of
// materials.
package changes

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/lock"
)

// Release has the parts of a release that are compared.
type Release struct {
	Lock *lock.Lock
	// Summary is its bill of materials in short; zero if there is none.
	sbom.Summary
}

// The titles of sections whose changes have more details, and the name of Go among the sources.
const (
	Sources   = "Sources"
	Modules   = "Go modules in programs"
	Packages  = "Packages of distributions"
	Toolchain = "Go"
)

// Section is the changes of one kind: sources, base images.
type Section struct {
	Title   string
	Changes []Change
}

// Change is a thing of which versions have come or gone. Names and versions are untrusted texts.
type Change struct {
	Name string
	Old  []string // versions that only the old release has, sorted
	New  []string // versions that only the new one has, sorted
	// Added and Removed mean that the other release does not have the thing at all.
	Added, Removed bool
}

// Compare returns the sections in which something differs. Modules and packages are compared if
// both releases have a bill of materials. Digests of images are not changes: they differ in any
// case.
func Compare(old, now Release) []Section {
	var all []Section
	add := func(title string, a, b things) {
		if c := differences(a, b); len(c) > 0 {
			all = append(all, Section{title, c})
		}
	}
	add(Sources, sources(old.Lock), sources(now.Lock))
	add("Images", published(old.Lock), published(now.Lock))
	add("Base images", bases(old.Lock), bases(now.Lock))
	add("Third-party images", others(old.Lock), others(now.Lock))
	add("Programs that were not compiled", prebuilt(old.Lock), prebuilt(now.Lock))
	if old.Modules != nil && now.Modules != nil {
		add(Modules, old.Modules, now.Modules)
		add(Packages, packages(old.Packages), packages(now.Packages))
	}
	return all
}

// packages are the packages of distributions in any image.
func packages(images map[string]map[string][]string) things {
	t := things{}
	for _, all := range images {
		for name, versions := range all {
			for _, v := range versions {
				t.add(name, v)
			}
		}
	}
	return t
}

// things are the versions of things by their names.
type things map[string][]string

func (t things) add(name, version string) {
	if !slices.Contains(t[name], version) {
		t[name] = append(t[name], version)
	}
}

func differences(old, now things) (all []Change) {
	for _, name := range Names(old, now) {
		c := Change{
			name, lacking(old[name], now[name]), lacking(now[name], old[name]), old[name] == nil,
			now[name] == nil,
		}
		if len(c.Old) > 0 || len(c.New) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// Names returns the keys of two maps, sorted.
func Names[V any](old, now map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(now))
	slices.Sort(names)
	return slices.Compact(names)
}

// lacking returns, sorted, what others lack of a list.
func lacking(list, others []string) []string {
	sorted := slices.Sorted(slices.Values(list))
	return slices.DeleteFunc(sorted, func(v string) bool { return slices.Contains(others, v) })
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
		t.add(Toolchain, strings.TrimPrefix(l.Go, "go"))
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
			for _, b := range c.Bases() {
				t.reference(b.Name, b.Digest.String())
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
	if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") && !strings.HasPrefix(name, "builtin:") &&
		!imagename.IsFile(name) {
		name, tag = name[:at], name[at+1:]
	}
	t.add(name, strings.TrimSpace(tag+" "+short(digest)))
}

// short returns the beginning of a digest or a revision.
func short(s string) string {
	n := strings.Index(s, ":") + 1 // behind the algorithm
	return s[:min(len(s), n+12)]
}
