package dpkg

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

var noVersion control.Version

// purgeConffiles removes the conffiles of a package that was removed, and runs its postrm.
func (r *run) purgeConffiles(ctx context.Context, p *pkg) error {
	if err := r.changingInstalled(p); err != nil {
		return err
	}
	if err := r.db.list(p); err != nil {
		return err
	}
	p.configVersion = noVersion
	if err := r.db.note(p); err != nil {
		return err
	}
	p.installed.conffiles = slices.DeleteFunc(slices.Clone(p.installed.conffiles), func(c conffile) bool {
		n := slices.IndexFunc(p.files, func(f *file) bool { return f.name == c.name })
		if n < 0 {
			return true
		}
		d := p.files[n].divert
		return d != nil && (d.cameFrom != nil || d.instead != nil && d.set != p.set)
	})
	for n := range p.installed.conffiles {
		p.installed.conffiles[n].hash = hashNew
	}
	if err := r.db.note(p); err != nil {
		return err
	}
	for _, c := range p.installed.conffiles {
		if err := r.purgeConffile(p, c); err != nil {
			return err
		}
	}
	if err := r.db.writeList(p, &p.installed, p.files, markOldConff); err != nil {
		return err
	}
	p.installed.conffiles = nil
	if err := r.db.note(p); err != nil {
		return err
	}
	return r.call(ctx, p, "postrm", "purge")
}

// purgeConffile removes a conffile with the copies that dpkg and editors make.
func (r *run) purgeConffile(p *pkg, c conffile) error {
	at, ok, err := r.db.dereference(c.name)
	if err != nil || !ok {
		return err
	}
	if err := r.touchedPath(r.db.file(c.name).use(p), p); err != nil {
		return err
	}
	if err := r.db.remove(at); err != nil {
		return err
	}
	names, err := r.db.t.ReadDir(path.Dir(at))
	if err != nil {
		return err
	}
	for _, name := range names {
		if isCopy(path.Base(at), name) {
			if err := r.db.remove(path.Dir(at) + "/" + name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isCopy reports whether a name is that of a copy of a conffile.
func isCopy(conffile, name string) bool {
	if name == "#"+conffile+"#" {
		return true
	}
	suffix, ok := strings.CutPrefix(name, conffile)
	if !ok {
		return false
	}
	if slices.Contains([]string{"~", ".bak", "%", ".dpkg-tmp", newSuffix, ".dpkg-old", ".dpkg-dist"}, suffix) {
		return true
	}
	number, ok := strings.CutPrefix(suffix, "~")
	number, isLast := strings.CutSuffix(number, "~")
	return ok && isLast && strings.Trim(number, "0123456789") == ""
}

// removeLeftover removes the directories that are empty now that conffiles are gone.
func (r *run) removeLeftover(p *pkg) error {
	if err := r.db.list(p); err != nil {
		return err
	}
	if err := r.db.note(p); err != nil {
		return err
	}
	var left []*file
	for _, f := range slices.Backward(slices.Clone(p.files)) {
		if f.marks&markOldConff != 0 {
			continue
		}
		keep, err := r.removeDirectory(p, f, left)
		if err != nil {
			return err
		}
		if keep {
			left = append([]*file{f}, left...)
		}
	}
	if err := r.db.writeList(p, &p.installed, left, 0); err != nil {
		return err
	}
	return r.db.note(p)
}

// removeDirectory removes a directory that is empty, and reports whether the package keeps it in
// its list.
func (r *run) removeDirectory(p *pkg, f *file, left []*file) (keep bool, err error) {
	use := f.use(p)
	_, to, err := tree.Resolve(r.db.t, use.name)
	if err != nil {
		return false, err
	}
	if to != nil && to.Kind == layer.Dir {
		switch {
		case f.usedBy(left):
			return true, nil
		case f.usedByOthers(p):
			return false, nil
		case use.name == "/.":
			return true, nil
		}
	}
	if err := r.touchedPath(use, p); err != nil {
		return false, err
	}
	at, n, err := r.db.place(use.name)
	switch {
	case err != nil || n == nil:
		return false, err
	case n.Kind == layer.Symlink:
		return false, r.db.t.Erase(at)
	case n.Kind != layer.Dir:
		return true, nil
	}
	names, err := r.db.t.ReadDir(at)
	if err != nil || len(names) > 0 {
		return true, err
	}
	return false, r.db.t.Erase(at)
}
