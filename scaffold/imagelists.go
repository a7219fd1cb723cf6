package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/lazyregexp"

	"github.com/slipway-dev/slipway/scaffold/makefile"
)

// imageGroup is a group of images, of lists in the repository.
type imageGroup struct {
	name  string
	lists []string
}

var (
	listName = lazyregexp.New(`^(?:airgap-)?images?(?:-list)?(?:[-_.]([a-z0-9][a-z0-9-]*))?\.txt$`)
	// heredoc is the beginning of lines that a script gives a command, which writes a list of
	// images.
	heredoc = lazyregexp.New(`<<-?\s*["']?\w+["']?.*>>?\s*(\S*images(?:-[a-z0-9][a-z0-9-]*)?\.txt)`)
	// variable is a ${NAME} in a list.
	variable = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// maxListed bounds the images of a list.
const maxListed = 10_000

// imageLists finds lists of images. One in the root named images.txt is that of all bundles.
// Those that scripts write are reported.
func (d *Draft) imageLists() {
	for _, f := range d.tree.files {
		if isAside(path.Dir(f)) {
			continue
		}
		if m := listName.FindStringSubmatch(path.Base(f)); m != nil {
			d.imageList(f, cmp.Or(m[1], "images"))
		} else if path.Ext(f) == ".sh" || path.Dir(f) == "scripts" {
			for n, line := range makefile.Lines(string(d.tree.text(f))) {
				if m := heredoc.FindStringSubmatch(line); m != nil {
					d.leave("lists of images that a script writes: make them files, and name these under airgap.groups",
						"%s (%s)", m[1], place{f, n})
				}
			}
		}
	}
}

// imageList takes a list of images.
func (d *Draft) imageList(f, group string) {
	text := string(d.tree.text(f))
	refs, bad := references(text)
	if bad != "" {
		d.leave("lists of images that cannot be read", "%s (%s)", f, bad)
	}
	if len(refs) == 0 {
		return
	}
	d.found("%s: %d images of bundles", f, len(refs))
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		d.listArgs[m[1]] = cmp.Or(d.decide("args."+m[1], "the value of ${"+m[1]+"} in "+f, nil), "undecided")
	}
	if f == "images.txt" {
		d.listOfAll = f
		return
	}
	n := slices.IndexFunc(d.groups, func(g imageGroup) bool { return g.name == group })
	if n < 0 {
		n = len(d.groups)
		d.groups = append(d.groups, imageGroup{name: group})
	}
	d.groups[n].lists = append(d.groups[n].lists, f)
}

// references returns the image references of a text: none if a line is something else, and that
// line if it looks like one.
func references(text string) (refs []string, bad string) {
	for l := range strings.Lines(text) {
		l, _, _ = strings.Cut(l, " #")
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		ref, err := name.ParseReference(variable.ReplaceAllString(l, "x"), name.WithDefaultTag(""))
		if err != nil || ref.Identifier() == "" || !strings.Contains(l, "/") || len(refs) == maxListed {
			if strings.ContainsAny(l, " \t") || !strings.Contains(l, "/") {
				return nil, ""
			}
			return nil, l
		}
		refs = append(refs, l)
	}
	return refs, ""
}

// writeAirgap writes the groups and their bundles.
func (d *Draft) writeAirgap(w *writer) {
	if d.listOfAll == "" && len(d.groups) == 0 {
		return
	}
	w.section("airgap")
	w.field("  images", d.listOfAll)
	d.writeMap(w, "  ", "args", d.listArgs, func(string) string { return "" })
	if len(d.groups) == 0 {
		return
	}
	core := slices.ContainsFunc(d.groups, func(g imageGroup) bool { return g.name == "core" })
	var names []string
	w.line("  groups:")
	for _, g := range d.groups {
		names = append(names, g.name)
		to := ""
		if core && g.name != "core" {
			to = ", addsTo: core"
		}
		w.line("    - {name: %s, lists: "+list(g.lists)+to+"}", g.name)
	}
	w.line("  bundles:")
	w.line("    - {name: %s}", d.name+"-images")
	w.line("    - {name: %s, platforms: "+list(d.sortedPlatforms())+"}",
		d.name+"-images.{{.OS}}{{if .WindowsRelease}}-{{.WindowsRelease}}{{end}}-{{.Arch}}")
	if linux := d.linux(); len(linux) > 0 {
		w.note("    ", "groups of images for Linux alone; name a platform here that all images of a list have")
		w.line("    - {name: %s, platforms: "+list(linux)+", groups: "+list(names)+"}",
			d.name+"-images-{{.Group}}.{{.OS}}-{{.Arch}}")
	}
}
