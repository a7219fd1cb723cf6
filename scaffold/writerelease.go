package scaffold

import (
	"fmt"
	"slices"

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
