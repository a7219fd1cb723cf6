package dpkg

import (
	"context"
	"slices"
)

// disappearOthers forgets packages all of whose files are now of the new one.
func (u *unpacking) disappearOthers(ctx context.Context) error {
	for _, other := range u.db.hashed() {
		if other == u.p || other.state <= configFiles || other.toBe == toBeRemoved || len(other.files) == 0 ||
			u.p.installed.multiArch == same && other.installed.multiArch == same && other.set == u.p.set {
			continue
		}
		if !slices.ContainsFunc(other.files, func(f *file) bool { return f.name != "/." }) ||
			slices.ContainsFunc(other.files, func(f *file) bool { return u.saves(f, other) }) {
			continue
		}
		other.toBe = toBeRemoved
		needed := u.needed(other)
		other.toBe = toBeNormal
		if needed {
			continue
		}
		if err := u.disappear(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

// saves reports whether a file keeps its package from disappearing: only that package has it.
func (u *unpacking) saves(f *file, other *pkg) bool {
	if f.divert != nil && f.divert.instead != nil && f.divert.set != nil &&
		(f.divert.set == other.set || f.divert.set == u.p.set) {
		return true
	}
	if f.marks&markInArchive != 0 {
		return false
	}
	for _, third := range slices.Backward(f.owners) {
		if third == u.p || third == other || !third.listed ||
			other.installed.multiArch == same && third.set == other.set {
			continue
		}
		return false
	}
	return true
}

// needed reports whether another package depends on one that would disappear.
func (u *unpacking) needed(p *pkg) bool {
	sets := []*pkgset{p.set}
	for _, d := range p.installed.depends {
		if d.field == "Provides" {
			sets = append(sets, d.list[0].set)
		}
	}
	for _, s := range sets {
		for _, one := range s.reverse("Depends", "Pre-Depends", "Recommends") {
			if v := u.check(one.up, false); !v.ok {
				return true
			}
		}
	}
	return false
}

// disappear forgets a package.
func (u *unpacking) disappear(ctx context.Context, p *pkg) error {
	if err := u.changingInstalled(p); err != nil {
		return err
	}
	u.report.Removed = append(u.report.Removed, u.db.label(p, &p.installed))
	by := []string{"disappear", u.db.label(u.p, &u.p.available), u.p.available.version.String()}
	if err := u.call(ctx, p, "postrm", by...); err != nil {
		return err
	}
	if err := u.db.removeInfo(p, &p.installed, nil); err != nil {
		return err
	}
	u.forget(p)
	p.reinstall, p.configVersion, p.listed = false, noVersion, false
	return u.db.note(p)
}
