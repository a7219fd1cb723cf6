package dpkg

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
)

// conflict decides about a file that other packages have too. keep reports that theirs stays, and
// shared that the same package has it for another architecture.
func (u *unpacking) conflict(m deb.Member, f *file, s spot) (keep, shared bool, err error) {
	for _, other := range slices.Backward(f.owners) {
		if other == u.p {
			continue
		}
		if other.set == u.p.set && other.installed.multiArch == same && u.p.available.multiArch == same {
			shared = shared || s.node != nil && u.inSync
			continue
		}
		if f.divert != nil && f.divert.instead != nil && f.divert.set != nil &&
			(other.set == f.divert.set || u.p.set == f.divert.set) {
			continue
		}
		if s.node == nil && m.Kind == layer.Dir {
			continue
		}
		if other.replacing > 0 {
			keep = keep || other.replacing == replacedBy
			continue
		}
		if other.state == configFiles || other.toBe == toBeRemoved || u.obsoleteThere(f, s, other) {
			continue
		}
		switch {
		case u.db.replaces(&u.p.available, other, &other.installed):
			other.replacing = replaces
		case u.db.replaces(&other.installed, u.p, &u.p.available):
			other.replacing, keep = replacedBy, true
			f.marks &^= markInArchive
		case s.node != nil && s.node.Kind == layer.Dir:
			if !u.options.forced["overwrite-dir"] {
				return false, false, fmt.Errorf("%s would replace a directory of package %s %s, "+
					"which the package does not say that it replaces", f.name, other.set.name, other.installed.version)
			}
		case !u.options.forced["overwrite"]:
			return false, false, fmt.Errorf("%s is also in package %s %s, "+
				"which the package does not say that it replaces", f.name, other.set.name, other.installed.version)
		}
	}
	return keep, shared, nil
}

// What was found of a package whose files are replaced.
const (
	replaces uint8 = iota + 1
	replacedBy
)

// obsoleteThere reports whether a conffile is obsolete in the other package that has it.
func (u *unpacking) obsoleteThere(f *file, s spot, other *pkg) bool {
	return f.marks&markNewConff != 0 && s.node != nil && s.node.Kind == layer.Regular &&
		slices.ContainsFunc(other.installed.conffiles, func(c conffile) bool { return c.obsolete && c.name == f.name })
}

// replaces reports whether a package says that it replaces another.
func (db *database) replaces(b *binary, other *pkg, old *binary) bool {
	for _, d := range b.depends {
		if d.field == "Replaces" && d.list[0].set == other.set && db.satisfies(old, d.list[0]) {
			return true
		}
	}
	return false
}
