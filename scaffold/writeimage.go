package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

func (d *Draft) writeBases(w *writer) {
	if len(d.bases) == 0 {
		return
	}
	w.section("bases")
	for _, b := range d.bases {
		switch {
		case b.builtin != "":
			w.line("  - {name: %s, builtin: %s}", b.name, b.builtin)
		case b.microsoft != "":
			w.line("  - {name: %s, microsoft: %s}", b.name, b.microsoft)
		default:
			w.line("  - name: %s", b.name)
			w.line("    images:")
			for _, p := range sortedKeys(b.images) {
				w.line("      %s: %s", p, b.images[p])
			}
		}
	}
}

func (d *Draft) writePrograms(w *writer) {
	if len(d.programs) == 0 {
		return
	}
	w.line("")
	w.line("programs:")
	for _, p := range d.programs {
		text := "  - {name: " + scalar(p.name) + ", source: " + scalar(d.sourceName(p.module)) +
			", package: " + scalar(packagePath(p.dir, p.module))
		if os := cmp.Or(strings.Join(p.os, ","), d.onlyFor(p.name)); os != "" {
			text += ", os: " + list(splitList(os))
		}
		fmt.Fprintln(w, text+"}")
	}
}

func (d *Draft) writeImage(w *writer, i image) {
	w.line("  - name: %s", i.name)
	if i.repository != "" {
		w.fact(d.from("images["+i.name+"].repository"), "    repository: %s", i.repository)
	}
	if len(i.tags) > 0 {
		fmt.Fprintf(w, "    tags: %s%s\n", list(i.tags), d.from("images["+i.name+"].tags"))
	}
	if len(d.images) > 1 {
		w.fieldOf("    floatingTags", i.floats)
	}
	w.fieldOf("    platforms", i.platforms)
	if i.program != "" {
		w.line("    bases: " + mapping(i.bases))
		w.line("    go: {program: %s}", i.program)
		return
	}
	w.line("    source: %s", d.name)
	d.writeDockerfile(w, i)
}

func (d *Draft) writeDockerfile(w *writer, i image) {
	files := i.dockerfiles
	builder, ok := strings.CutPrefix(i.byOthers, "builder: ")
	if !ok && i.byOthers != "" {
		w.line("    " + i.byOthers)
		files = maps.Clone(files)
		delete(files, platform.Linux)
		if len(files) == 0 {
			return
		}
	}
	w.line("    dockerfile:")
	w.field("      builder", builder)
	places := func(what string) string {
		var all []string
		for _, p := range i.parts {
			all = appendNew(all, p.places[what][:min(len(p.places[what]), 2)]...)
		}
		return comment(all)
	}
	fmt.Fprintf(w, "      files: %s%s\n", mapping(files), places("builds"))
	w.fact(places("context"), "      context: %s", cmp.Or(i.context, "."))
	if target := i.target(); target != "" {
		w.fact(places("target"), "      target: %s", target)
	}
	d.writeMap(w, "      ", "args", i.args(), func(name string) string { return places("args " + name) })
	d.writeMap(w, "      ", "outputs", i.outputs(), func(string) string { return "" })
}
