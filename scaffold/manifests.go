package scaffold

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// homes are where projects keep the manifests that they release, the first that has some counts.
var homes = []string{
	"config", "deploy", "manifests", "deploy/kubernetes", "deployment/kubernetes", "kubernetes", "k8s",
	"deployment", "install",
}

var kustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// manifests finds the manifests that are released.
func (d *Draft) manifests() {
	charts := d.directoriesWith("Chart.yaml", "Chart.yml")
	kustomize := d.directoriesWith(kustomizationNames...)
	if d.plain(charts, kustomize, true) || d.kustomizations(kustomize) {
		d.charts(charts)
		return
	}
	d.plain(charts, kustomize, false)
	d.charts(charts)
}

// plain takes the manifests of the first home that has a workload. With direct, it has some that
// are in the home itself.
func (d *Draft) plain(charts, kustomize []string, direct bool) bool {
	for _, home := range homes {
		var files []string
		for _, f := range d.tree.files {
			if rel, ok := within(f, home); ok && !isAside(path.Dir(rel)) && workload.IsManifest(f) &&
				!below(f, charts) && !below(f, kustomize) {
				files = append(files, f)
			}
		}
		files = d.current(files, home)
		if direct && !slices.ContainsFunc(files,
			func(f string) bool { dir := path.Dir(f); return dir == home || path.Base(dir) == d.version }) {
			continue
		}
		if d.havePods(files) {
			d.templates = d.entries(files, home)
			d.found("%s: manifests of release.yaml", home)
			return true
		}
	}
	return false
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

var versioned = lazyregexp.New(`^v?[0-9]+\.[0-9]+(?:\.[0-9]+)?`)

// current drops manifests of other versions: directories named after one, next to manifests or
// next to that of this version.
func (d *Draft) current(files []string, home string) []string {
	directory := func(f string) string {
		rel, _ := within(f, home)
		first, _, nested := strings.Cut(rel, "/")
		if nested {
			return first
		}
		return ""
	}
	mine := d.version != "" && slices.ContainsFunc(files, func(f string) bool { return directory(f) == d.version })
	return slices.DeleteFunc(files, func(f string) bool {
		return mine && directory(f) != d.version || !mine && versioned.MatchString(directory(f))
	})
}

// havePods reports whether there is a workload of Kubernetes in these files.
func (d *Draft) havePods(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		return slices.ContainsFunc(d.yaml(f), func(doc *yaml.Node) bool {
			return workload.SpecPath(yamlfile.Text(doc, "kind")) != nil && yamlfile.Text(doc, "apiVersion") != ""
		})
	})
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
		if _, ok := within(f, home); ok && workload.IsManifest(f) {
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
	return len(docs) > 0 && !slices.ContainsFunc(docs, func(doc *yaml.Node) bool {
		return yamlfile.Text(doc, "apiVersion") == "" || yamlfile.Text(doc, "kind") == ""
	})
}

// charts takes the charts that are published: of several of one name, the one in latest, or of the
// highest version. Where there are no manifests, release.yaml has what they render.
func (d *Draft) charts(dirs []string) {
	for _, dir := range newest(dirs) {
		docs := d.yaml(path.Join(dir, "Chart.yaml"))
		if len(docs) == 0 || yamlfile.Text(docs[0], "name") == "" {
			d.hand("%s/Chart.yaml has no name that can be read: the chart is left out", dir)
			continue
		}
		c := entry{path: dir, name: yamlfile.Text(docs[0], "name")}
		c.version, c.appVersion = chartVersions(yamlfile.Text(docs[0], "version"), yamlfile.Text(docs[0], "appVersion"))
		if c.appVersion == "" && d.writesV(dir) {
			c.appVersion = bare
		}
		for _, values := range d.yaml(path.Join(dir, "values.yaml")) {
			on := yamlfile.Value(values, "windows", "enabled")
			c.windows = on != nil && on.Value == "false" && d.has(platform.Windows)
		}
		d.chart = append(d.chart, c)
		d.found("%s: the chart %s", dir, c.name)
	}
}

// vBefore matches a template that writes a v before the version of the application.
var vBefore = lazyregexp.New(
	`v\{\{-?\s*\$?\.Chart\.AppVersion|printf? "v%s"[^}]*\.Chart\.AppVersion|print "v" \$?\.Chart\.AppVersion`)

// writesV reports whether a chart writes a v before its appVersion.
func (d *Draft) writesV(dir string) bool {
	return slices.ContainsFunc(d.tree.files, func(f string) bool {
		_, in := within(f, path.Join(dir, "templates"))
		return in && vBefore.Match(d.tree.text(f))
	})
}

// bare is the product's version without the v that tags of git have and most charts do without.
const bare = "{{.Major}}.{{.Minor}}.{{.Patch}}{{if .Prerelease}}-{{.Prerelease}}{{end}}"

// chartVersions returns the versions of slipway.yaml for a chart with these in its Chart.yaml, ""
// for the product's, [bare] for that without a v. A version that is counted apart is the chart's.
// One of 0.0.0 is in the place of another until a release.
func chartVersions(chart, app string) (version, appVersion string) {
	like := func(s string) string {
		if v := versionIn(s); v == "" || v == s || v == "v0.0.0" {
			return ""
		}
		return bare
	}
	if c, a := versionIn(chart), versionIn(app); c != "" && a != "" && c != "v0.0.0" && semver.Compare(c, a) != 0 {
		return chart, like(app)
	}
	return like(chart), like(app)
}

// newest returns one directory for each chart name.
func newest(dirs []string) []string {
	best := map[string]string{}
	for _, dir := range dirs {
		old, ok := best[path.Base(dir)]
		if slices.ContainsFunc(dirs,
			func(other string) bool { _, in := within(dir, other); return in && other != dir }) {
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

// kustomizations takes the kustomization that users would apply: of those that nothing else is
// based on, the first by the names that projects give it.
func (d *Draft) kustomizations(dirs []string) bool {
	var roots []string
	for _, dir := range dirs {
		if first, _, _ := strings.Cut(dir, "/"); slices.Contains(homes, first) || first == "kustomize" {
			roots = append(roots, dir)
		}
	}
	for _, dir := range roots {
		for _, base := range d.kustomizationBases(dir) {
			roots = slices.DeleteFunc(roots, func(r string) bool { return r == base && r != dir })
		}
	}
	first := []string{"default", "release", "stable", "production", "prod", "kustomize", "install", "base"}
	rank := func(dir string) int {
		if n := slices.Index(first, path.Base(dir)); n >= 0 {
			return n
		}
		return len(dir)
	}
	slices.SortStableFunc(roots, func(a, b string) int { return rank(a) - rank(b) })
	for n, dir := range roots {
		if n > 0 {
			d.left = append(d.left, dir+" has another kustomization: write it under release.kustomize in place of "+
				roots[0]+" if it is the one that users apply")
			continue
		}
		d.templates = []entry{{path: dir, kustomize: true}}
		d.found("%s: the kustomization of release.yaml", dir)
	}
	return len(roots) > 0
}

// kustomizationBases returns the directories that a kustomization names.
func (d *Draft) kustomizationBases(dir string) []string {
	var bases []string
	for _, name := range kustomizationNames {
		for _, doc := range d.yaml(path.Join(dir, name)) {
			for _, key := range []string{"resources", "bases", "components"} {
				for _, r := range texts(doc, key) {
					bases = append(bases, path.Join(dir, r))
				}
			}
		}
	}
	return bases
}
