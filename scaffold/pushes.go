package scaffold

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// pushes returns the names that a command pushes which builds nothing: docker push, manifest push,
// imagetools create and the like.
func pushes(words []string) (names []string) {
	verb := func(all ...string) int {
		return slices.IndexFunc(words, func(w string) bool { return slices.Contains(all, w) })
	}
	plain := func(from int) (list []string) {
		for _, w := range words[from:] {
			if !strings.HasPrefix(w, "-") {
				list = append(list, strings.TrimPrefix(w, "docker://"))
			}
		}
		return list
	}
	n := verb("push", "imagetools", "copy", "cp")
	switch {
	case n < 1:
	case words[n] == "imagetools":
		for k, w := range words {
			if value, ok := strings.CutPrefix(w, "--tag="); ok {
				names = append(names, value)
			} else if (w == "-t" || w == "--tag") && k+1 < len(words) {
				names = append(names, words[k+1])
			}
		}
	case words[n] == "push" && engine.MatchString(words[0]):
		names = plain(n + 1)[:min(1, len(plain(n+1)))]
	case words[n] != "push" && slices.Contains(copiers, path.Base(words[0])):
		if all := plain(n + 1); len(all) > 1 {
			names = all[1:2]
		}
	}
	return names
}

// copiers are programs that copy images.
var copiers = []string{"skopeo", "crane", "regctl"}

// pushing notes the names that a command pushes which builds nothing.
func (d *Draft) pushing(c shell.Call, at place, r rank) {
	if names := pushes(c.Words); len(names) > 0 && r == publishes {
		d.pushed = append(d.pushed, dockerBuild{at: at, rank: r, names: names, ofBranches: d.ofBranches})
	}
}

// pushedTags gives images the tags that are pushed in addition to those of builds.
func (d *Draft) pushedTags() {
	for n := range d.images {
		i := &d.images[n]
		same := 0
		for _, o := range d.images {
			if o.last() == i.last() {
				same++
			}
		}
		if same > 1 {
			continue // which of them is pushed, its tag alone tells
		}
		byFile := map[string]dockerBuild{}
		for name, b := range d.pushesOf(*i) {
			of := byFile[b.at.file]
			of.at, of.rank, of.names = b.at, b.rank, append(of.names, name)
			byFile[b.at.file] = of
		}
		for _, f := range sortedKeys(byFile) {
			b := byFile[f]
			if len(i.parts) > 0 {
				b.file = i.parts[0].from.path
			}
			tags, floats := d.tagsOf(b)
			i.floats = appendNew(i.floats, floats...)
			if len(i.tags) > 0 || !slices.Equal(tags, []string{"{{.Version}}"}) {
				if all := appendNew(versionTags(*i), tags...); len(all) > 1 {
					i.tags = all
				}
			}
		}
	}
}

// pushedVersions are the tags of a version that are pushed for an image apart from its builds.
func (d *Draft) pushedVersions(i *image) (all []string) {
	for name := range d.pushesOf(*i) {
		_, tag := splitReference(name)
		if template, _ := tagTemplate(d.madeTag(withoutArch(tag))); strings.Contains(template, "{{.Version}}") {
			all = appendNew(all, template)
		}
	}
	return all
}

// pushesOf yields the names of an image that are pushed apart from its builds, and not for
// branches only.
func (d *Draft) pushesOf(i image) iter.Seq2[string, dockerBuild] {
	return func(yield func(string, dockerBuild) bool) {
		for _, b := range d.pushed {
			for _, name := range b.names {
				repository, _ := splitReference(name)
				if !b.ofBranches && lastOf(repository) == i.last() && !yield(name, b) {
					return
				}
			}
		}
	}
}

// writesFile matches a file that a command of a shell writes.
var writesFile = lazyregexp.New(`(?m)[^>&\d]>\s*["']?(?:\./)?([\w./-]+)["']?\s*$`)

// writes asks for the files of the source that a job writes before it builds, which a release does
// not do.
func (d *Draft) writes(f string, from int, text string) {
	for _, m := range writesFile.FindAllStringSubmatchIndex(text, -1) {
		name := path.Clean(text[m[2]:m[3]])
		if !d.tree.has(name) || shell.Unknown(name) || path.Ext(name) == ".md" || strings.HasPrefix(name, ".") {
			continue
		}
		at := place{f, from + 1 + strings.Count(text[:m[2]], "\n")}
		if key := "sources " + name; !d.isAsked(key) {
			d.lacks(key, "%s writes %s, which the source has, before it builds: put the right one there before the "+
				"release, or take this out if nothing of the product has it", at, name)
		}
	}
}
