package scaffold

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// systems are the operating systems of the release.
func (d *Draft) systems() []string {
	return slices.DeleteFunc([]string{platform.Linux, platform.Windows}, func(os string) bool { return !d.has(os) })
}

func (d *Draft) writeCharts(w *writer) {
	all := kept(d.chart)
	if len(all) == 0 {
		return
	}
	w.section("charts")
	for _, c := range all {
		w.mark(c, func() {
			w.line("  - name: %s", c.name)
			w.line("    path: %s", c.path)
			if d.chartsIn != "" {
				w.fact(d.from("charts"), "    repository: %s", d.chartsIn)
			}
			if c.version != "" && c.version != bare {
				w.note("    ", "that of Chart.yaml, which is not the product's: raise it with each release")
			}
			if c.version != "" {
				w.fact(d.from("charts["+c.name+"].version"), "    version: %s", c.version)
			}
			w.field("    appVersion", c.appVersion)
			if c.windows {
				w.line("    cases: [{name: windows, values: {windows: {enabled: true}}}]")
			}
		})
	}
}

func (d *Draft) writeRelease(w *writer) {
	all, images := kept(d.templates), d.releaseImages()
	if len(all) == 0 && (len(d.chart) == 0 || len(images) == 0) {
		return
	}
	w.section("release")
	for _, key := range []string{"release.templates", "release.kustomize"} {
		of := slices.DeleteFunc(slices.Clone(all), func(e *entry) bool { return e.key != key })
		if len(of) > 0 {
			w.line("  " + strings.TrimPrefix(key, "release.") + ":")
		}
		for _, e := range of {
			w.mark(e, func() { w.fact(d.from(key), "    - {path: %s}", e.path) })
		}
	}
	d.writeMap(w, "  ", "images", images, func(string) string { return "" })
}

// releaseImages maps references of manifests to images: those of ko, and where images are before
// they are promoted.
func (d *Draft) releaseImages() map[string]string {
	all := maps.Clone(d.koImages)
	for name, repository := range d.staging {
		all[repository] = name
	}
	return all
}

func (d *Draft) writeSource(w *writer) {
	w.section("sources")
	modules := []string{""}
	for _, p := range d.programs {
		modules = appendNew(modules, p.module)
	}
	for _, m := range modules {
		d.writeModule(w, m)
	}
}

// sourceName is the name of the source of a module; "" is the product's.
func (d *Draft) sourceName(module string) string {
	if module == "" {
		return d.name
	}
	return nameOf(strings.ReplaceAll(module, "/", "-"))
}

func (d *Draft) writeModule(w *writer, module string) {
	w.line("  - name: %s", d.sourceName(module))
	w.line("    directory: %s", path.Join(d.source.dir, module))
	if !d.git {
		w.note("    ", "Only git knows these two; without git they label and date the images as they are here.")
		w.line("    revision: %s", cmp.Or(d.options.Revision, unknownRevision))
		w.line("    created: %s", cmp.Or(d.options.Created, unknownCreated))
	}
	w.field("    url", d.source.url)
	w.field("    licenses", d.source.licenses)
	if d.source.module == "" || len(d.programs) == 0 {
		return
	}
	for _, key := range flagKeys {
		first := true
		for _, f := range d.chosen {
			if f.key != key {
				continue
			}
			if first {
				w.line("    " + key + ":")
			}
			first = false
			w.fact(d.from(key+" "+f.text), "      - %s", d.versions(f.text))
		}
	}
}
