package scaffold

import (
	"cmp"
	"path"
	"strings"
)

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
