package scaffold

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// tried matches the directories of charts that tests and examples have.
var tried = lazyregexp.New(`(?:^|/)test|example`)

// charts takes the charts that are published: of several of one name that in latest, or that of
// the highest version, and else that named by a publisher. Those of tests and examples are
// reported.
func (d *Draft) charts() {
	byName := map[string][]string{}
	all := d.directoriesWith("Chart.yaml", "Chart.yml")
	for _, f := range d.tree.files {
		if base := path.Base(f); (base == "Chart.yaml" || base == "Chart.yml") && isAside(path.Dir(f)) {
			d.leave("charts of tests and examples", "%s", path.Dir(f))
		}
	}
	for _, dir := range all {
		docs := d.yaml(path.Join(dir, "Chart.yaml"))
		switch {
		case below(path.Dir(dir), all):
			// a chart that another one contains
		case tried.MatchString(dir):
			d.leave("charts of tests and examples", "%s", dir)
		case len(docs) == 0 || yamlfile.Text(docs[0], "name") == "":
			d.leave("charts without a name that can be read", "%s", dir)
		default:
			name := yamlfile.Text(docs[0], "name")
			byName[name] = append(byName[name], dir)
		}
	}
	for _, name := range sortedKeys(byName) {
		dirs := byName[name]
		slices.SortStableFunc(dirs, func(a, b string) int {
			switch latest := strings.Contains(a+"/", "latest/"); {
			case latest != strings.Contains(b+"/", "latest/"):
				return map[bool]int{true: -1, false: 1}[latest]
			case newer(a, b):
				return -1
			case newer(b, a):
				return 1
			}
			return 0
		})
		dir := dirs[0]
		if len(dirs) > 1 && !strings.Contains(dir+"/", "latest/") && versionIn(dir) == "" {
			dir = d.decide("charts["+name+"].path", "the directory of the chart "+name, d.namedBy(dirs, nil))
		}
		d.chart = append(d.chart, d.chartIn(dir, name))
		d.found("%s: the chart %s", dir, name)
		for _, other := range dirs {
			if other != dir {
				d.leave("further charts of one name", "%s", other)
			}
		}
	}
}

// chartIn reads a chart.
func (d *Draft) chartIn(dir, name string) entry {
	c := entry{key: "charts", path: dir, name: name}
	for _, doc := range d.yaml(path.Join(dir, "Chart.yaml")) {
		c.version, c.appVersion = chartVersions(word(doc, "version"), word(doc, "appVersion"))
		if own := word(doc, "version"); c.version == own && own != "" {
			c.version = d.chartVersion(name, own, placeOf(path.Join(dir, "Chart.yaml"), yamlfile.Value(doc, "version")))
		}
	}
	if c.appVersion == "" && d.writesV(dir) {
		c.appVersion = bare
	}
	for _, values := range d.yaml(path.Join(dir, "values.yaml")) {
		on := yamlfile.Value(values, "windows", "enabled")
		c.windows = on != nil && on.Value == "false" && d.has(platform.Windows)
	}
	return c
}

// setsChartVersion matches what gives a chart a version when it is published.
var setsChartVersion = lazyregexp.New(`\bhelm\s+package\b.*\s--version\b|` +
	`\b(?i:yq|sed)\w*\b.*(?:[./]version\s*\|?=|\^?version:).*(?i:chart)`)

// chartVersion decides whether a chart keeps the version in its Chart.yaml: publishers may give
// it that of the product.
func (d *Draft) chartVersion(name, own string, at place) string {
	for _, f := range sortedKeys(d.publishers.texts) {
		for n, line := range makefile.Lines(string(d.tree.text(f))) {
			if setsChartVersion.MatchString(line) {
				return d.decide("charts["+name+"].version", "the version of the chart "+name+
					", which what publishes may change", []claim{{bare, develops, place{f, n}}, {own, develops, at}})
			}
		}
	}
	return own
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

// chartRepository decides in which repository charts are published.
func (d *Draft) chartRepository() {
	if len(d.chart) == 0 || d.names.registry == "" {
		return
	}
	all := d.charted
	prefix := strings.TrimSuffix(strings.TrimSuffix(d.names.repository, "{{.Name}}"), "/")
	for _, usual := range []string{"charts", ""} {
		all = append(all, claim{value: path.Join(d.names.registry, prefix, usual)})
	}
	value := d.decide("charts", "the registry, and the repository in it below which charts are published", all)
	host, rest, _ := strings.Cut(value, "/")
	if host != d.names.registry {
		d.lacks("charts", "whether the charts are published in %s, below %s, where the images are not", host, value)
	}
	d.chartsIn = path.Join(rest, "{{.Name}}")
}
