package draft

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// homes are where projects keep the manifests that they release, the first that has some counts.
var homes = []string{"config", "deploy", "manifests", "deploy/kubernetes", "deployment/kubernetes", "kubernetes", "k8s", "deployment", "install"}

// manifests finds the manifests that are released.
func (d *Draft) manifests() {
	charts := d.directoriesWith("Chart.yaml", "Chart.yml")
	kustomize := d.directoriesWith("kustomization.yaml", "kustomization.yml", "Kustomization")
	for _, home := range homes {
		var files []string
		for _, f := range d.tree.files {
			if rel, ok := within(f, home); ok && !isAside(path.Dir(rel)) && isYAML(f) && !below(f, charts) && !below(f, kustomize) {
				files = append(files, f)
			}
		}
		if files = d.current(files, home); d.havePods(files) {
			d.templates = d.entries(files, home)
			d.found("%s: manifests of release.yaml", home)
			break
		}
	}
	d.charts(charts)
	d.kustomize(kustomize)
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

var versioned = regexp.MustCompile(`^v?[0-9]+\.[0-9]+(?:\.[0-9]+)?`)

// current drops manifests of other versions: directories named after one, next to manifests or
// next to that of this version.
func (d *Draft) current(files []string, home string) []string {
	top, mine := false, false
	of := func(f string) string {
		rel, _ := within(f, home)
		first, _, nested := strings.Cut(rel, "/")
		if nested {
			return first
		}
		return ""
	}
	for _, f := range files {
		top = top || of(f) == ""
		mine = mine || of(f) == d.version && d.version != ""
	}
	var list []string
	for _, f := range files {
		switch dir := of(f); {
		case mine && dir != d.version, versioned.MatchString(dir) && !mine && top, versioned.MatchString(dir) && !mine && !top:
			continue
		}
		list = append(list, f)
	}
	return list
}

// havePods reports whether there is a workload of Kubernetes in these files.
func (d *Draft) havePods(files []string) bool {
	for _, f := range files {
		for _, doc := range d.yaml(f) {
			if workload.SpecPath(yamlfile.Text(doc, "kind")) != nil && yamlfile.Text(doc, "apiVersion") != "" {
				return true
			}
		}
	}
	return false
}

// entries lists the files that have nothing but Kubernetes objects, as their directory where that
// has no others.
func (d *Draft) entries(files []string, home string) []entry {
	var good []entry
	whole := true
	for _, f := range files {
		if !d.objects(f) {
			whole = false
			continue
		}
		good = append(good, entry{path: f})
	}
	n := 0
	for _, f := range d.tree.files {
		if _, ok := within(f, home); ok && isYAML(f) {
			n++
		}
	}
	if whole && n == len(good) && n > 8 {
		return []entry{{path: home}}
	}
	return good
}

// objects reports whether a file is a manifest: every document of it has apiVersion and kind.
func (d *Draft) objects(f string) bool {
	docs := d.yaml(f)
	for _, doc := range docs {
		if yamlfile.Text(doc, "apiVersion") == "" || yamlfile.Text(doc, "kind") == "" {
			return false
		}
	}
	return len(docs) > 0
}

// charts notes the charts of this version: of several of one name, the one in latest, or of the
// highest version.
func (d *Draft) charts(dirs []string) {
	for _, dir := range newest(dirs) {
		d.hand("%s is a Helm chart: it is not part of this slipway.yaml", dir)
	}
}

// newest returns one directory for each chart name.
func newest(dirs []string) []string {
	best := map[string]string{}
	for _, dir := range dirs {
		old, ok := best[path.Base(dir)]
		if slices.ContainsFunc(dirs, func(other string) bool { _, in := within(dir, other); return in && other != dir }) {
			continue // a chart that another one contains
		}
		if !ok || strings.Contains(dir+"/", "latest/") || !strings.Contains(old+"/", "latest/") && newer(dir, old) {
			best[path.Base(dir)] = dir
		}
	}
	var list []string
	for _, name := range sortedKeys(best) {
		list = append(list, best[name])
	}
	return list
}

// kustomize notes the directories that nothing else refers to.
func (d *Draft) kustomize(dirs []string) {
	for _, dir := range dirs {
		d.hand("%s has a kustomization: it is not part of this slipway.yaml", dir)
	}
}
