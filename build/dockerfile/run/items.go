package run

import (
	"archive/tar"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// newItem is New-Item for directories and empty files, and mkdir. Directories above are made.
func newItem(r *runner, p params) error {
	kind := strings.ToLower(p.one("itemtype"))
	if kind == "" {
		kind = "directory"
	}
	if kind != "directory" && kind != "file" {
		return mistake.At(p.one("itemtype"), "RUN %s: only items of the type Directory and File are known here", p.name)
	}
	for _, name := range p.values["path"] {
		if strings.ContainsAny(name, "*?") {
			return mistake.At(name, "%w", errWildcard)
		}
		s, err := r.find(strings.TrimRight(tree.Slashed(name), "/"), true)
		switch {
		case err != nil:
			return err
		case s.n != nil && s.n.Kind == layer.Dir && kind == "directory" && p.set["force"]:
			continue
		case s.n != nil:
			return fmt.Errorf("%s is there already", name)
		case kind == "directory":
			err = r.parents(s.p, 0o755)
		default:
			if p.set["force"] {
				if err := r.parents(path.Dir(s.p), 0o755); err != nil {
					return err
				}
			}
			err = r.make(s.p, file(0o644, nil))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyItem(r *runner, p params) error {
	for _, name := range p.values["path"] {
		items, pattern, err := r.items(p, name)
		if err != nil {
			return err
		}
		if pattern && len(items) != 1 {
			if d, err := r.find(p.one("destination"), true); err != nil || d.n == nil || d.n.Kind != layer.Dir {
				return fmt.Errorf("%s matches %d files, and there is no directory %s to copy them to: make it before", name, len(items), p.one("destination"))
			}
		}
		for _, from := range items {
			to, there, err := r.target(from, p.one("destination"))
			switch {
			case err != nil:
				return err
			case from.n.Kind == layer.Dir && !p.set["recurse"]:
				return mistake.At(name, "RUN %s: %s is a directory, of which nothing is copied without -Recurse", p.name, from.p)
			case from.n.Kind == layer.Dir && there != nil, there != nil && there.Kind != layer.Regular:
				return fmt.Errorf("%s is there already", to)
			case from.p == to || strings.HasPrefix(to, from.p+"/"):
				return fmt.Errorf("%s cannot be copied to itself, %s", from.p, to)
			}
			if err := r.withoutLinks(from.p, from.n); err != nil {
				return err
			}
			c := copyTree{runner: r, keep: true, recursive: true, links: true}
			if err := c.copy(from.p, from.n, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutLinks refuses a directory with links in it, which PowerShell copies or follows by its
// version.
func (r *runner) withoutLinks(p string, n *tree.Node) error {
	switch {
	case n == nil:
		return nil
	case n.Kind == layer.Symlink:
		return fmt.Errorf("%s is a link: name the files", p)
	case n.Kind != layer.Dir:
		return nil
	}
	names, err := r.list(p)
	for i := 0; i < len(names) && err == nil; i++ {
		var child *tree.Node
		if child, err = r.t.Lstat(path.Join(p, names[i])); err == nil {
			err = r.withoutLinks(path.Join(p, names[i]), child)
		}
	}
	return err
}

func moveItem(r *runner, p params) error {
	for _, name := range p.values["path"] {
		items, pattern, err := r.items(p, name)
		if err != nil {
			return err
		}
		if pattern {
			if d, err := r.find(p.one("destination"), true); err != nil || d.n == nil || d.n.Kind != layer.Dir {
				return fmt.Errorf("there is no directory %s to move the files to: make it before", p.one("destination"))
			}
		}
		for _, from := range items {
			to, there, err := r.target(from, p.one("destination"))
			switch {
			case err != nil:
				return err
			case there != nil && (!p.set["force"] || there.Kind != layer.Regular || from.n.Kind != layer.Regular):
				return fmt.Errorf("%s is there already", to)
			}
			if err := r.move(from.p, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeItem is Remove-Item. A pattern that matches nothing is not a mistake, a name is.
func removeItem(r *runner, p params) error {
	for _, name := range p.values["path"] {
		items, _, err := r.items(p, name)
		if err != nil {
			return err
		}
		for _, s := range items {
			if s.n.Kind == layer.Dir && !p.set["recurse"] {
				if err := r.empty(s); err != nil {
					return err
				}
			}
			if s.p == "/" || tree.Within(r.dir, s.p) {
				return fmt.Errorf("%s has the working directory in it, and cannot be removed", s.p)
			}
			if err := r.remove(s.p); err != nil {
				return err
			}
		}
	}
	return nil
}

func renameItem(r *runner, p params) error {
	items, pattern, err := r.items(p, p.one("path"))
	newName := p.one("newname")
	switch {
	case err != nil:
		return err
	case pattern || len(p.values["path"]) != 1:
		return mistake.At(p.one("path"), "%w", errWildcard)
	case strings.ContainsAny(newName, `/\:`):
		return mistake.At(newName, "RUN %s: -NewName is a name without a directory", p.name)
	}
	to := path.Join(path.Dir(items[0].p), newName)
	if n, err := r.t.Lstat(to); err != nil || n != nil || r.unknown(to) {
		return fmt.Errorf("%s is there already, or may be", to)
	}
	return r.move(items[0].p, to)
}

// expandArchive is Expand-Archive. Its directory is made, with those above it.
func expandArchive(r *runner, p params) error {
	name := p.one("path")
	if len(p.values["path"]) != 1 || strings.ContainsAny(name, "*?") {
		return mistake.At(name, "%w", errWildcard)
	}
	if !strings.EqualFold(path.Ext(tree.Slashed(name)), ".zip") {
		return mistake.At(name, "RUN %s: %s does not end in .zip, and PowerShell takes no other archive", p.name, name)
	}
	s, err := r.spot(name, true)
	if err != nil {
		return err
	}
	to, err := r.find(strings.TrimRight(tree.Slashed(p.one("destinationpath")), "/"), true)
	if err != nil {
		return err
	}
	if err := r.parents(to.p, 0o755); err != nil {
		return err
	}
	u := &unpacking{runner: r, into: to.p, anonymous: true}
	u.owners = func(h *tar.Header) (int, int, error) {
		if h.Typeflag == tar.TypeSymlink {
			return 0, 0, errors.New("it is a link, of which PowerShell makes a file")
		}
		return 0, 0, nil
	}
	u.keep = func(at string, there *tree.Node) (bool, error) {
		if there.Kind == layer.Dir {
			return true, nil
		}
		if !p.set["force"] {
			return false, fmt.Errorf("%s is there already: use -Force", at)
		}
		return false, nil
	}
	if u.modes, err = r.zipModes(s, nil); err != nil {
		return err
	}
	for _, m := range u.modes {
		m.mode = 0o755 // Windows has no others
	}
	return u.archive(s, true)
}
