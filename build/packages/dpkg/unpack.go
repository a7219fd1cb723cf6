package dpkg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
)

// unpack is a call of dpkg --unpack or --install.
func (in *installer) unpack(ctx context.Context, act action, debs []*deb.Deb) error {
	r, err := in.begin(act)
	if err != nil {
		return err
	}
	r.autoDeconfigure = in.options.forced[autoDeconfigure]
	if !in.tx.Dpkg {
		r.triggers, r.autoDeconfigure = -1, true
	}
	if err := r.db.loadOverrides(); err != nil {
		return err
	}
	for _, d := range debs {
		if err := r.unpackOne(ctx, d); err != nil {
			return err
		}
	}
	if act == actInstall {
		if err := r.process(ctx); err != nil {
			return err
		}
	}
	return r.finish(ctx)
}

// finish processes triggers that were left to the end, and saves the database.
func (r *run) finish(ctx context.Context) error {
	if err := r.processTriggers(ctx); err != nil {
		return err
	}
	return r.db.close()
}

// unpacking is a package that is unpacked.
type unpacking struct {
	*run
	p         *pkg
	d         *deb.Deb
	old       state
	files     []*file // what the new list has
	conffiles []*file
	inSync    bool // the package for other architectures has the same version
	// the paths that lead to hard links of the package
	paths map[*tree.Node][]string
}

// unpackOne unpacks one package.
func (r *run) unpackOne(ctx context.Context, d *deb.Deb) error {
	u, err := r.prepare(d)
	if err == nil {
		err = u.before(ctx)
	}
	if err == nil {
		err = u.extract(ctx)
	}
	if err == nil {
		err = u.after(ctx)
	}
	if err != nil {
		return fmt.Errorf("unpacking %s %s: %w", d.Package, d.Version, err)
	}
	return nil
}

// prepare reads what a new package says of itself, and checks that it may be unpacked.
func (r *run) prepare(d *deb.Deb) (*unpacking, error) {
	if err := r.db.checkArchitecture(d.Architecture); err != nil {
		return nil, err
	}
	slot := binary{arch: d.Architecture, multiArch: strings.ToLower(d.Control.Get("Multi-Arch"))}
	p, err := r.db.slot(d.Package, &slot)
	if err != nil {
		return nil, err
	}
	b, err := r.db.parse(p, d.Control)
	if err != nil {
		return nil, err
	}
	b.conffiles = nil
	p.available = *b
	r.deconfigure = nil
	for _, other := range r.db.hashed() {
		other.toBe, other.replacing = toBeNormal, 0
	}
	p.want = wantInstall
	for _, other := range p.set.pkgs {
		if other != p && other.state > halfConfigured && other.installed.version.Compare(b.version) != 0 {
			r.addDeconfigured(other, nil)
		}
	}
	return &unpacking{run: r, p: p, d: d, paths: map[*tree.Node][]string{}}, nil
}

// checkArchitecture returns an error for a package that the tree does not take.
func (db *database) checkArchitecture(arch string) error {
	text, err := tree.ReadText(db.t, admin+"/arch")
	if err != nil {
		return err
	}
	known := strings.Fields(string(text))
	if arch == "all" || arch == db.arch || slices.Contains(known, arch) {
		return nil
	}
	return fmt.Errorf("its architecture is %s, and packages here are for %s", arch, db.arch)
}

// before runs the scripts that come before the files.
func (u *unpacking) before(ctx context.Context) error {
	p := u.p
	if err := u.checkDependencies(ctx, p); err != nil {
		return err
	}
	if err := u.db.listAll(); err != nil {
		return err
	}
	u.db.unmark()
	u.report.Unpacked = append(u.report.Unpacked, u.db.label(p, &p.available))
	if err := u.changingInstalled(p); err != nil {
		return err
	}
	if err := u.changing(p, u.d.Text("triggers")); err != nil {
		return err
	}
	if err := u.newConffiles(); err != nil {
		return err
	}
	u.db.markOldConffiles(p)
	for _, other := range u.conflictors {
		u.db.markOldConffiles(other)
	}
	u.old = p.state
	if p.state >= halfConfigured {
		p.reinstall, p.state = true, halfConfigured
		if err := u.db.note(p); err != nil {
			return err
		}
		if err := u.call(ctx, p, "prerm", "upgrade", p.available.version.String()); err != nil {
			return err
		}
		p.state, u.old = unpacked, unpacked
		if err := u.db.note(p); err != nil {
			return err
		}
	}
	if err := u.deconfigureOthers(ctx, p); err != nil {
		return err
	}
	return u.preinst(ctx)
}

// preinst runs the new package's preinst.
func (u *unpacking) preinst(ctx context.Context) error {
	p := u.p
	args := []string{"upgrade", p.installed.version.String(), p.available.version.String()}
	p.reinstall = true
	if p.state == notInstalled {
		p.installed.version, p.installed.multiArch = p.available.version, p.available.multiArch
	}
	p.state = halfInstalled
	if err := u.db.note(p); err != nil {
		return err
	}
	switch u.old {
	case notInstalled:
		args = []string{"install"}
	case configFiles:
		args[0] = "install"
	}
	return u.callNew(ctx, p, u.d, "preinst", args...)
}

// after does what comes when the files are there: old files go, and the database takes the new
// package.
func (u *unpacking) after(ctx context.Context) error {
	p := u.p
	if u.old == halfInstalled || u.old == unpacked {
		p.state = halfInstalled
		if err := u.db.note(p); err != nil {
			return err
		}
		if err := u.call(ctx, p, "postrm", "upgrade", p.available.version.String()); err != nil {
			return err
		}
	}
	if err := u.removeOld(); err != nil {
		return err
	}
	if err := u.db.writeList(p, &p.available, u.files, 0); err != nil {
		return err
	}
	if err := u.updateInfo(); err != nil {
		return err
	}
	u.updateFields()
	if err := u.disappearOthers(ctx); err != nil {
		return err
	}
	if err := u.takeFromOthers(); err != nil {
		return err
	}
	p.state = unpacked
	if err := u.db.note(p); err != nil {
		return err
	}
	p.reinstall = false
	if err := u.db.note(p); err != nil {
		return err
	}
	for len(u.conflictors) > 0 {
		other := u.conflictors[0]
		u.conflictors = u.conflictors[1:]
		if err := u.db.listAll(); err != nil {
			return err
		}
		u.report.Removed = append(u.report.Removed, u.db.label(other, &other.installed))
		if err := u.removeBulk(ctx, other); err != nil {
			return err
		}
	}
	if u.action == actInstall {
		u.enqueue(p)
		for _, d := range slices.Backward(u.deconfigure) {
			u.enqueue(d.pkg)
		}
	}
	return nil
}

// updateFields makes the new package the installed one.
func (u *unpacking) updateFields() {
	p := u.p
	u.db.unlink(&p.installed)
	p.installed = p.available
	u.db.link(&p.installed)
	for _, f := range u.conffiles {
		p.installed.conffiles = append(p.installed.conffiles, conffile{
			f.name, f.oldHash, f.marks&markObsConff != 0, f.marks&markRmConff != 0,
		})
	}
}

// takeFromOthers removes files that are now of the new package from the lists of others.
func (u *unpacking) takeFromOthers() error {
	for _, f := range u.files {
		if f.marks&markElide == 0 {
			continue
		}
		var diverting *pkgset
		if f.divert != nil && f.divert.instead != nil {
			if diverting = f.divert.set; diverting == u.p.set {
				continue
			}
		}
		for _, other := range slices.Backward(f.owners) {
			if other.set == u.p.set || diverting != nil && other.set == diverting {
				continue
			}
			if f.marks&markNewConff != 0 {
				for n := range other.installed.conffiles {
					if c := &other.installed.conffiles[n]; c.name == f.name {
						c.obsolete = true
					}
				}
			}
			if !other.listed {
				continue
			}
			if err := u.db.writeList(other, &other.installed, other.files, markElide); err != nil {
				return err
			}
		}
	}
	return nil
}
