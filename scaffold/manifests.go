package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"

	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// homes are where projects keep the manifests that they release, the likeliest first.
var homes = []string{
	"config", "deploy", "manifests", "deploy/kubernetes", "deployment/kubernetes", "kubernetes", "k8s",
	"deployment", "install", "kustomize",
}

var kustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// manifests finds what users apply: a kustomization that no other one is based on, or a directory
// of manifests with a workload.
func (d *Draft) manifests() {
	charts, kustomize := d.directoriesWith("Chart.yaml", "Chart.yml"), d.directoriesWith(kustomizationNames...)
	byPath := map[string][]entry{}
	var all []string
	for _, home := range homes {
		if files := d.plain(home, charts, kustomize); len(files) > 0 {
			byPath[home] = files
			all = append(all, home)
		}
	}
	for _, dir := range d.roots(kustomize) {
		byPath[dir] = []entry{{key: "release.kustomize", path: dir}}
		all = append(all, dir)
	}
	if len(all) > 0 {
		claims := d.namedBy(all, byPath)
		if several := d.together(all); len(several) > 1 {
			claims = append(claims, claim{value: strings.Join(several, ", ")})
		}
		claims = append(claims, claim{value: none})
		chosen := strings.Split(d.decide("release",
			"the directories of manifests and the kustomizations that users apply", claims), ", ")
		for _, home := range chosen {
			if len(byPath[home]) == 0 {
				continue // none
			}
			d.templates = append(d.templates, byPath[home]...)
			d.found("%s: manifests of release.yaml", home)
		}
		d.seen["release.kustomize"], d.seen["release.templates"] = d.seen["release"], d.seen["release"]
		others := slices.DeleteFunc(all, func(dir string) bool { return slices.Contains(chosen, dir) })
		if len(others) > 0 {
			d.leave("further manifests and kustomizations", "%s", listed(others))
		}
	}
	d.otherApplied(all)
	d.charts()
}

// together are the directories that may be applied next to each other: those of manifests, and
// the kustomizations that no other one is based on.
func (d *Draft) together(all []string) (list []string) {
	based := d.based(all)
	for _, dir := range all {
		if !based[dir] {
			list = append(list, dir)
		}
	}
	const most = 6
	if len(list) > most {
		return nil
	}
	return list
}

func isYAML(f string) bool { return strings.HasSuffix(f, ".yaml") || strings.HasSuffix(f, ".yml") }

// below reports whether a file is in one of these directories.
func below(f string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { _, ok := within(f, dir); return ok })
}

// directoriesWith returns the directories that have a file of one of these names, without those of
// tests and examples.
func (d *Draft) directoriesWith(names ...string) []string {
	var dirs []string
	for _, f := range d.tree.files {
		if dir, name := path.Split(f); slices.Contains(names, name) && !isAside(dir) {
			dirs = append(dirs, path.Clean(dir))
		}
	}
	return dirs
}

// yttFile matches values, schemas and overlays of ytt, which belong to its templates.
var yttFile = lazyregexp.New(`(?m)^#@(?:data/values|overlay/|schema/| load\()`)

// plain returns the manifests of a directory that are not below another home, if it has a workload.
// Those of other versions, in directories that are named after one, do not count.
func (d *Draft) plain(home string, charts, kustomize []string) (list []entry) {
	var files []string
	for _, f := range d.tree.files {
		rel, ok := within(f, home)
		if ok && !isAside(path.Dir(rel)) && workload.IsManifest(f) && !below(f, charts) && !below(f, kustomize) &&
			!slices.ContainsFunc(homes, func(h string) bool {
				_, in := within(f, h)
				return in && len(h) > len(home)
			}) {
			files = append(files, f)
		}
	}
	current := func(f string) bool { return strings.Contains(f, "/"+d.version+"/") }
	if d.version == "" || !slices.ContainsFunc(files, current) {
		current = newest(files)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !current(f) })
	pods := false
	for _, f := range files {
		docs := d.yaml(f)
		if !strings.Contains(string(d.tree.text(f)), "{{") {
			docs = d.needed(f)
		}
		object := len(docs) > 0
		for _, doc := range docs {
			kind, version := yamlfile.Text(doc, "kind"), yamlfile.Text(doc, "apiVersion")
			object = object && kind != "" && version != ""
			pods = pods || workload.SpecPath(kind) != nil && version != ""
		}
		if object || yttFile.Match(d.tree.text(f)) {
			list = append(list, entry{key: "release.templates", path: f})
		}
	}
	if !pods {
		return nil
	}
	if d.collide(home, list) {
		return []entry{{key: "release.templates", path: home}}
	}
	return list
}

// newest tells the files that belong to no version, or where all belong to one, to the highest.
func newest(files []string) func(f string) bool {
	highest := ""
	for _, f := range files {
		v := versionIn(path.Dir(f))
		if v == "" {
			return func(f string) bool { return versionIn(path.Dir(f)) == "" }
		}
		if highest == "" || semver.Compare(v, highest) > 0 {
			highest = v
		}
	}
	return func(f string) bool { return versionIn(path.Dir(f)) == highest }
}

// collide reports whether two manifests of a directory have one name, so that a release takes them
// with their directory alone, and whether it has no others.
func (d *Draft) collide(home string, list []entry) bool {
	names := map[string]bool{}
	for _, e := range list {
		names[path.Base(e.path)] = true
	}
	return len(names) < len(list) && !slices.ContainsFunc(d.tree.files, func(f string) bool {
		_, in := within(f, home)
		return in && workload.IsManifest(f) &&
			!slices.ContainsFunc(list, func(e entry) bool { return e.path == f })
	})
}

// roots are the kustomizations below homes that have objects, those that no other one is based on
// before the others.
func (d *Draft) roots(dirs []string) (roots []string) {
	based := d.based(dirs)
	for _, dir := range dirs {
		if first, _, _ := strings.Cut(dir, "/"); slices.Contains(homes, first) && d.wholeKustomization(dir) {
			roots = append(roots, dir)
		}
	}
	slices.SortStableFunc(roots, func(a, b string) int {
		return cmp.Compare(map[bool]int{true: 1}[based[a]], map[bool]int{true: 1}[based[b]])
	})
	if n := slices.IndexFunc(roots, func(dir string) bool { return based[dir] }); n == 1 {
		return roots[:1] // the only one that is whole
	}
	return roots
}

// wholeKustomization reports whether a kustomization has objects of its own or of others, and is
// not a component.
func (d *Draft) wholeKustomization(dir string) bool {
	for _, name := range kustomizationNames {
		for _, doc := range d.yaml(path.Join(dir, name)) {
			if len(items(doc, "resources"))+len(items(doc, "bases")) > 0 && yamlfile.Text(doc, "kind") != "Component" {
				return true
			}
		}
	}
	return false
}

// based are the directories that kustomizations are based on.
func (d *Draft) based(dirs []string) map[string]bool {
	based := map[string]bool{}
	for _, dir := range dirs {
		for _, name := range kustomizationNames {
			for _, doc := range d.yaml(path.Join(dir, name)) {
				for _, key := range []string{"resources", "bases", "components"} {
					for _, r := range texts(doc, key) {
						based[path.Join(dir, r)] = true
					}
				}
			}
		}
	}
	return based
}

// namedBy are the directories of which one is released, by what names them or a file of theirs: what
// publishes, or the documentation.
func (d *Draft) namedBy(dirs []string, entries map[string][]entry) (all []claim) {
	for _, f := range d.tree.files {
		r, docs := d.publishers.of(f), path.Ext(f) == ".md"
		switch {
		case docs:
			r = installs
		case !d.saysBuilds(f):
			continue
		}
		for n, line := range makefile.Lines(string(d.tree.text(f))) {
			if docs && f != "README.md" && !applies.MatchString(line) {
				continue
			}
			for _, dir := range dirs {
				if !namesPath(line, dir) &&
					!slices.ContainsFunc(entries[dir], func(e entry) bool { return namesPath(line, e.path) }) {
					continue
				}
				now := r
				if d.make.Files[f] {
					now = d.makeRank(place{f, n})
				}
				all = append(all, claim{dir, now, place{f, n}})
			}
		}
	}
	usual := []string{"default", "release", "stable", "production", "prod", "kustomize", "install", "base"}
	order := func(dir string) int {
		if n := slices.Index(usual, path.Base(dir)); n >= 0 {
			return n
		}
		return len(usual) + len(dir)
	}
	dirs = slices.Clone(dirs)
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	for _, dir := range dirs {
		all = append(all, claim{value: dir})
	}
	return all
}

// applies matches a line that applies manifests.
var applies = lazyregexp.New(`\b(?:kubectl|kustomize|oc)\b`)

// namesPath reports whether a line has a path as a word of its own.
func namesPath(line, p string) bool {
	at := strings.Index(line, p)
	if at < 0 || at > 0 && isWord(line[at-1]) {
		return false
	}
	rest, below := strings.CutPrefix(line[at+len(p):], "/")
	if !below && !strings.Contains(p, "/") && !takesDirectory.MatchString(line[:at]) {
		return false // a word of a language, or a command of git
	}
	return rest == "" || !isWord(rest[0])
}

// takesDirectory matches what stands before a directory of manifests.
var takesDirectory = lazyregexp.New(`(?:\s-[fkR]+|--filename|--kustomize|kustomize build|kubectl kustomize|\./|path:)[ =]*["']?(?:\./)?$`)

func isWord(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
