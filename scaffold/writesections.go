package scaffold

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// writeArtifacts writes what a release has for download.
func (d *Draft) writeArtifacts(w *writer) {
	if len(d.archived) == 0 {
		return
	}
	w.section("artifacts")
	on := ""
	if len(d.artifactPlatforms) > 0 {
		on = ", platforms: " + list(append(d.systems(), d.artifactPlatforms...))
	}
	fmt.Fprintf(w, "  - {name: %s, programs: %s%s}\n", scalar(d.name), list(d.archived), on)
}

// systems are the operating systems of the release.
func (d *Draft) systems() []string {
	return slices.DeleteFunc([]string{platform.Linux, platform.Windows}, func(os string) bool { return !d.has(os) })
}

func (d *Draft) writeCharts(w *writer) {
	if len(d.chart) == 0 {
		return
	}
	w.line("")
	if slices.ContainsFunc(d.chart, func(c entry) bool { return c.dropped == "" }) {
		w.line("charts:")
	} else {
		w.note("", "charts:")
	}
	for _, c := range d.chart {
		if c.dropped != "" {
			w.note("  ", c.dropped)
			w.note("  ", "- {name: "+scalar(c.name)+", path: "+scalar(c.path)+"}")
			continue
		}
		w.line("  - name: %s", c.name)
		w.line("    path: %s", c.path)
		if c.version != "" && c.version != bare {
			w.note("    ", "that of Chart.yaml, which is not the product's: raise it with each release")
		}
		w.field("    version", c.version)
		w.field("    appVersion", c.appVersion)
		if c.windows {
			w.line("    cases: [{name: windows, values: {windows: {enabled: true}}}]")
		}
	}
}

func (d *Draft) writeRelease(w *writer) {
	if len(d.templates) == 0 {
		return
	}
	w.line("")
	key := "templates"
	if d.templates[0].kustomize {
		key = "kustomize"
	}
	kept := slices.ContainsFunc(d.templates, func(e entry) bool { return e.dropped == "" })
	if kept {
		w.line("release:")
		w.line("  " + key + ":")
	} else {
		w.note("", "release:", key+":")
	}
	for _, e := range d.templates {
		if e.dropped == "" {
			w.line("    - {path: %s}", e.path)
			continue
		}
		w.note("    ", e.dropped)
		w.note("    ", "- {path: "+scalar(e.path)+"}")
	}
	if kept && len(d.koImages) > 0 {
		w.line("  images:")
		for _, ref := range sortedKeys(d.koImages) {
			w.line("    %s: %s", ref, d.koImages[ref])
		}
	}
}

func (d *Draft) writeSource(w *writer) {
	w.section("sources")
	w.note("  ", d.source.notes...)
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
	if len(d.source.ldflags) > 0 {
		w.line("    ldflags:")
		for _, f := range d.source.ldflags {
			w.line("      - %s", f)
		}
	}
	w.fieldOf("    env", d.source.env)
	w.fieldOf("    tags", d.source.tags)
}
