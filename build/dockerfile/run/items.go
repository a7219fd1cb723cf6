package run

import (
	"archive/tar"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// newItem is New-Item for directories and empty files, and mkdir. Directories above are made.
func newItem(r *runner, o options, _ []string) {
	kind := strings.ToLower(o.value("itemtype"))
	directory := kind == "" || kind == "directory"
	if !directory && kind != "file" {
		failAt(o.value("itemtype"), "RUN %s: only items of the type Directory and File are known here", r.name())
	}
	for _, name := range o["path"] {
		noPattern(wildcarded(name), name)
		s := r.find(strings.TrimRight(tree.Slashed(name), "/"), true)
		if s.is(layer.Dir) && directory && o.has("force") {
			continue
		}
		if s.n != nil {
			fail("%s already exists", name)
		}
		if directory {
			r.parents(s.p, 0o755)
			continue
		}
		if o.has("force") {
			r.parents(path.Dir(s.p), 0o755)
		}
		r.make(s.p, file(0o644, nil))
	}
}

// leadsToDirectory reports whether a name is known to be one of a directory.
func (r *runner) leadsToDirectory(name string) bool {
	var s spot
	return try(func() { s = r.find(name, true) }) == nil && s.is(layer.Dir)
}

func copyItem(r *runner, o options, _ []string) {
	dest := o.value("destination")
	for _, name := range o["path"] {
		items, pattern := r.items(o, name)
		if pattern && len(items) != 1 && !r.leadsToDirectory(dest) {
			fail("%s matches %d files, and there is no directory %s to copy them to: make it before",
				name, len(items), dest)
		}
		for _, from := range items {
			to, there := r.itemTarget(from, dest)
			switch dir := from.is(layer.Dir); {
			case dir && !o.has("recurse"):
				failAt(name, "RUN %s: %s is a directory, of which nothing is copied without -Recurse", r.name(), from.p)
			case dir && there != nil, there != nil && there.Kind != layer.Regular:
				fail("%s already exists", to)
			case from.p == to || strings.HasPrefix(to, from.p+"/"):
				fail("%s cannot be copied to itself, %s", from.p, to)
			}
			r.withoutLinks(from.p, from.n)
			c := copyTree{runner: r, keep: true, recursive: true, links: true}
			c.copy(from.p, from.n, to)
		}
	}
}

// withoutLinks refuses a directory with links in it, which PowerShell copies or follows by its
// version.
func (r *runner) withoutLinks(p string, n *tree.Node) {
	switch {
	case n == nil:
	case n.Kind == layer.Symlink:
		fail("%s is a link: name the files", p)
	case n.Kind == layer.Dir:
		r.children(p, r.withoutLinks)
	}
}

func moveItem(r *runner, o options, _ []string) {
	dest := o.value("destination")
	for _, name := range o["path"] {
		items, pattern := r.items(o, name)
		if pattern && !r.leadsToDirectory(dest) {
			fail("there is no directory %s to move the files to: make it before", dest)
		}
		for _, from := range items {
			to, there := r.itemTarget(from, dest)
			if there != nil && (!o.has("force") || there.Kind != layer.Regular || !from.is(layer.Regular)) {
				fail("%s already exists", to)
			}
			r.move(from.p, to)
		}
	}
}

// removeItem is Remove-Item. A pattern that matches nothing is not a mistake, a name is.
func removeItem(r *runner, o options, _ []string) {
	for _, name := range o["path"] {
		items, _ := r.items(o, name)
		for _, s := range items {
			if s.is(layer.Dir) && !o.has("recurse") {
				r.empty(s)
			}
			if s.p == "/" || tree.Within(r.dir, s.p) {
				fail("%s has the working directory in it, and cannot be removed", s.p)
			}
			r.remove(s.p)
		}
	}
}

func renameItem(r *runner, o options, _ []string) {
	name := o.value("path")
	items, _ := r.items(o, name)
	newName := o.value("newname")
	noPattern(wildcarded(name) || len(o["path"]) != 1, name)
	if strings.ContainsAny(newName, `/\:`) {
		failAt(newName, "RUN %s: -NewName is a name without a directory", r.name())
	}
	to := path.Join(path.Dir(items[0].p), newName)
	if n, err := r.t.Lstat(to); err != nil || n != nil || r.unknown(to) {
		fail("%s already exists, or may be", to)
	}
	r.move(items[0].p, to)
}

// expandArchive is Expand-Archive. Its directory is made, with those above it.
func expandArchive(r *runner, o options, _ []string) {
	name := o.value("path")
	noPattern(wildcarded(name) || len(o["path"]) != 1, name)
	if !strings.EqualFold(path.Ext(tree.Slashed(name)), ".zip") {
		failAt(name, "RUN %s: %s does not end in .zip, and PowerShell takes no other archive", r.name(), name)
	}
	s := r.spot(name, true)
	to := r.find(strings.TrimRight(tree.Slashed(o.value("destinationpath")), "/"), true)
	r.parents(to.p, 0o755)
	u := &unpacking{runner: r, into: to.p, anonymous: true}
	u.owners = func(h *tar.Header) (uid, gid int) {
		if h.Typeflag == tar.TypeSymlink {
			fail("it is a link, of which PowerShell makes a file")
		}
		return 0, 0
	}
	u.keep = func(p string, there *tree.Node) bool {
		if there.Kind != layer.Dir && !o.has("force") {
			fail("%s already exists: use -Force", p)
		}
		return there.Kind == layer.Dir
	}
	u.modes = r.zipModes(s, nil)
	for _, m := range u.modes {
		m.mode = 0o755 // Windows has no others
	}
	u.archive(s, true)
}
