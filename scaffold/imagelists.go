package scaffold

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
)

// imageGroup is a group of images: a list of the repository, or one that a script writes.
type imageGroup struct {
	name  string
	lists []string
	text  string // of the only list, which is to be written; "" for those that are there
}

var (
	listName = lazyregexp.New(`^(?:airgap-)?images?(?:-list)?(?:[-_.]([a-z0-9][a-z0-9-]*))?\.txt$`)
	// heredoc is the beginning of lines that a script gives a command, which writes a list of
	// images.
	heredoc = lazyregexp.New(`<<-?\s*["']?(\w+)["']?.*>>?\s*\S*images(?:-([a-z0-9][a-z0-9-]*))?\.txt`)
	// variable is a ${NAME} in a list.
	variable = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	// shellValue gives a variable of a script a value, which may be a default.
	shellValue = lazyregexp.New(
		`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=["']?(?:\$\{[A-Za-z0-9_]+:?-([A-Za-z0-9][A-Za-z0-9._:/-]*)\}|([A-Za-z0-9][A-Za-z0-9._:/-]*))["']?\s*$`)
)

// maxGroups bounds the groups of a draft, and maxListed the images of one.
const maxGroups, maxListed = 100, 10_000

// imageLists finds lists of images, and those that scripts write. A list in the root named
// images.txt is that of all bundles.
func (d *Draft) imageLists() {
	for _, f := range d.tree.files {
		m := listName.FindStringSubmatch(path.Base(f))
		if m == nil || isAside(path.Dir(f)) || len(d.groups) == maxGroups {
			continue
		}
		refs, _ := references(strings.Split(string(d.tree.text(f)), "\n"))
		switch {
		case len(refs) == 0:
		case f == "images.txt":
			d.imageList = f
			d.listed(refs)
			d.found("%s: images of the bundles", f)
		default:
			d.listed(refs)
			d.addList(cmp.Or(m[1], unnamed), f)
			d.found("%s: %d images of a group of bundles", f, len(refs))
		}
	}
	for f := range d.scripts() {
		d.heredocs(f, strings.Split(string(d.tree.text(f)), "\n"))
	}
	if len(d.groups) > 0 {
		d.assignments()
	}
}

// unnamed is the name of a group whose list has none.
const unnamed = "images"

// scripts are the shell scripts of the repository.
func (d *Draft) scripts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range d.tree.files {
			if !isAside(path.Dir(f)) && (path.Dir(f) == "scripts" || path.Ext(f) == ".sh") && !yield(f) {
				return
			}
		}
	}
}

// heredocs finds the lists that a script writes. It is text: nothing of it is run.
func (d *Draft) heredocs(file string, lines []string) {
	for n := 0; n < len(lines); n++ {
		m := heredoc.FindStringSubmatch(lines[n])
		if m == nil {
			continue
		}
		end := slices.IndexFunc(lines[n+1:], func(l string) bool { return strings.TrimSpace(l) == m[1] })
		if end < 0 {
			continue
		}
		refs, bad := references(lines[n+1 : n+1+end])
		at := n + 2 + bad
		n += end
		g := imageGroup{name: cmp.Or(m[2], unnamed)}
		g.lists = []string{"images/" + g.name + ".txt"}
		if bad >= 0 {
			d.hand("the list of group %s in %s: line %d is not an image reference as text, so write its images to %s",
				g.name, file, at, g.lists[0])
		}
		if len(refs) == 0 || len(d.groups) == maxGroups {
			continue
		}
		g.text = "# of " + output.Line(file) + ", as text\n" + strings.Join(refs, "\n") + "\n"
		other := slices.IndexFunc(d.groups, func(o imageGroup) bool { return o.name == g.name })
		if other >= 0 || d.tree.has(g.lists[0]) {
			list := g.lists[0]
			if other >= 0 {
				list = d.groups[other].lists[0]
			}
			d.hand("a second list of group %s in %s: conditions of the script choose it, so add its images to %s",
				g.name, file, list)
			continue
		}
		d.listed(refs)
		d.groups = append(d.groups, g)
		d.found("%s: %d images of group %s, written to %s", file, len(refs), g.name, g.lists[0])
	}
}

// addList adds a list that is there to its group.
func (d *Draft) addList(group, list string) {
	for n := range d.groups {
		if d.groups[n].name == group {
			d.groups[n].lists = append(d.groups[n].lists, list)
			return
		}
	}
	d.groups = append(d.groups, imageGroup{name: group, lists: []string{list}})
}

// listed notes the variables of a list.
func (d *Draft) listed(refs []string) {
	for _, m := range variable.FindAllStringSubmatch(strings.Join(refs, "\n"), -1) {
		if _, ok := d.listArgs[m[1]]; !ok {
			d.listArgs[m[1]] = ""
		}
	}
}

// references returns the image references of lines: none if one is something else, and the index of
// that line, or else -1.
func references(lines []string) (refs []string, bad int) {
	for n, l := range lines {
		l, _, _ = strings.Cut(l, " #")
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		ref, err := name.ParseReference(variable.ReplaceAllString(l, "x"), name.WithDefaultTag(""))
		if err != nil || ref.Identifier() == "" || !strings.Contains(l, "/") || len(refs) == maxListed {
			return nil, n
		}
		refs = append(refs, l)
	}
	return refs, -1
}

// assignments gives the variables of lists the values that scripts write plainly.
func (d *Draft) assignments() {
	for f := range d.scripts() {
		for l := range strings.Lines(string(d.tree.text(f))) {
			m := shellValue.FindStringSubmatch(strings.TrimRight(l, "\n"))
			if m == nil {
				continue
			}
			if have, wanted := d.listArgs[m[1]]; wanted && have == "" {
				d.listArgs[m[1]] = m[2] + m[3]
			}
		}
	}
}

// writeAirgap writes the groups and their bundles.
func (d *Draft) writeAirgap(w *writer) {
	if d.imageList == "" && len(d.groups) == 0 {
		return
	}
	w.section("airgap")
	w.field("  images", d.imageList)
	if len(d.listArgs) > 0 {
		w.line("  args:")
		for _, k := range sortedKeys(d.listArgs) {
			if d.listArgs[k] == "" {
				w.note("    ", "a script computes it: write its value")
			}
			w.line("    "+k+": %s", d.listArgs[k])
		}
	}
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
	linux := slices.DeleteFunc(slices.Sorted(slices.Values(d.platforms)), func(p string) bool {
		return !strings.HasPrefix(p, platform.Linux+"/")
	})
	w.line("  bundles:")
	w.line("    - {name: %s}", d.name+"-images")
	w.line("    - {name: %s, platforms: "+list(slices.Sorted(slices.Values(d.platforms)))+"}",
		d.name+"-images.{{.OS}}{{if .WindowsRelease}}-{{.WindowsRelease}}{{end}}-{{.Arch}}")
	if len(linux) > 0 {
		w.note("    ", "groups of images for Linux alone; name a platform here that all images of a list have")
		w.line("    - {name: %s, platforms: "+list(linux)+", groups: "+list(names)+"}",
			d.name+"-images-{{.Group}}.{{.OS}}-{{.Arch}}")
	}
}
