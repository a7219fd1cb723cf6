package dpkg

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// remove is a call of dpkg --remove or --purge.
func (in *installer) remove(ctx context.Context, act action, names []string) error {
	r, err := in.begin(act)
	if err != nil {
		return err
	}
	if !in.tx.Dpkg {
		r.triggers, r.force = -1, true
	}
	for _, name := range names {
		p, err := r.db.named(name)
		if err != nil {
			return err
		}
		r.enqueue(p)
	}
	if err := r.process(ctx); err != nil {
		return err
	}
	return r.finish(ctx)
}

// removePending is a call of dpkg --remove --pending or --purge --pending.
func (in *installer) removePending(ctx context.Context, act action) error {
	r, err := in.begin(act)
	if err != nil {
		return err
	}
	r.triggers, r.pendingOnly = -1, true
	r.enqueuePending()
	if err := r.process(ctx); err != nil {
		return err
	}
	return r.finish(ctx)
}

// removeOne removes or purges a package, if nothing needs it.
func (r *run) removeOne(ctx context.Context, p *pkg) error {
	if !r.pendingOnly && p.want != wantUnknown {
		if p.want = wantDeinstall; r.action == actPurge {
			p.want = wantPurge
		}
		if err := r.db.note(p); err != nil {
			return err
		}
	}
	if p.state == notInstalled || p.state == configFiles && !r.pendingOnly && r.action != actPurge {
		r.sinceNothing = 0
		p.toBe = toBeNormal
		return nil
	}
	if p.state != configFiles && (p.installed.essential || p.installed.protected) && !r.force {
		return fmt.Errorf("it is essential, and may not be removed")
	}
	switch ok, why := r.mayGo(p); ok {
	case foundDefer:
		p.toBe = toBeRemoved
		r.enqueue(p)
		return nil
	case foundNone:
		return fmt.Errorf("package %s depends on it", why)
	}
	r.sinceNothing = 0
	if p.reinstall {
		return fmt.Errorf("it has to be installed again before, as its status says")
	}
	if err := r.db.listAll(); err != nil {
		return err
	}
	r.db.unmark()
	r.db.markOldConffiles(p)
	if p.state > configFiles {
		r.report.Removed = append(r.report.Removed, r.db.label(p, &p.installed))
	}
	if err := r.changingInstalled(p); err != nil {
		return err
	}
	if p.state >= halfConfigured {
		p.state = halfConfigured
		if err := r.db.note(p); err != nil {
			return err
		}
		if err := r.call(ctx, p, "prerm", "remove"); err != nil {
			return err
		}
		p.state = unpacked
	}
	return r.removeBulk(ctx, p)
}

// mayGo reports whether other packages work without p. why names one that does not.
func (r *run) mayGo(p *pkg) (ok found, why string) {
	sets := []*pkgset{p.set}
	for _, d := range p.installed.depends {
		if d.field == "Provides" {
			sets = append(sets, d.list[0].set)
		}
	}
	ok = foundOK
	for _, s := range sets {
		for _, one := range s.reverse("Depends", "Pre-Depends") {
			user := one.up.up
			if user.state < unpacked {
				continue
			}
			if r.try >= tryCycles {
				if found, err := r.breakCycle(p); err == nil && found {
					r.sinceNothing = 0
				}
			}
			f, _ := r.ready(user, p)
			if f == foundNone && user.toBe == toBeRemoved {
				f = foundDefer
			}
			if f < ok {
				ok, why = f, user.set.name
			}
		}
	}
	return ok, why
}

// removeBulk removes the files of a package, and what is left of it if it is purged.
func (r *run) removeBulk(ctx context.Context, p *pkg) error {
	if p.state == halfInstalled || p.state == unpacked {
		if err := r.removeFiles(ctx, p); err != nil {
			return err
		}
	}
	postrm, err := r.db.hasInfo(p, &p.installed, "postrm")
	if err != nil {
		return err
	}
	if !postrm && len(p.installed.conffiles) == 0 {
		p.want, p.configVersion = wantPurge, noVersion
	} else if p.want == wantPurge {
		if err := r.purgeConffiles(ctx, p); err != nil {
			return err
		}
	}
	if p.want == wantPurge {
		if err := r.removeLeftover(p); err != nil {
			return err
		}
		for _, kind := range []string{"list", "postrm"} {
			if err := r.db.remove(infoPath(p, &p.installed, kind)); err != nil {
				return err
			}
		}
		r.forget(p)
	}
	p.reinstall = false
	return r.db.note(p)
}

// forget makes a package one that is not installed.
func (r *run) forget(p *pkg) {
	r.db.unlink(&p.installed)
	p.state, p.want = notInstalled, wantUnknown
	p.installed = binary{arch: p.installed.arch, multiArch: p.installed.multiArch}
}

// removeFiles removes the files of a package but for its conffiles.
func (r *run) removeFiles(ctx context.Context, p *pkg) error {
	p.state = halfInstalled
	if err := r.db.note(p); err != nil {
		return err
	}
	var left []*file
	for _, f := range slices.Backward(slices.Clone(p.files)) {
		keep, err := r.removeFile(p, f, left)
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
	if err := r.call(ctx, p, "postrm", "remove"); err != nil {
		return err
	}
	triggers, err := tree.ReadText(r.db.t, infoPath(p, &p.installed, "triggers"))
	if err != nil {
		return err
	}
	if err := r.db.changeInterests(p, &p.installed, triggers, false); err != nil {
		return err
	}
	if err := r.db.saveInterests(); err != nil {
		return err
	}
	if err := r.db.removeInfo(p, &p.installed, []string{"list", "postrm"}); err != nil {
		return err
	}
	p.state, p.installed.essential, p.installed.protected = configFiles, false, false
	return r.db.note(p)
}

// removeFile removes one file, and reports whether the package keeps it in its list.
func (r *run) removeFile(p *pkg, f *file, left []*file) (keep bool, err error) {
	use := f.use(p)
	_, to, err := tree.Resolve(r.db.t, use.name)
	if err != nil {
		return false, err
	}
	isDir := to != nil && to.Kind == layer.Dir
	switch {
	case !isDir && p.set.instances() > 1 &&
		slices.ContainsFunc(f.owners, func(o *pkg) bool { return o != p && o.set == p.set }):
		return false, nil
	case f.marks&markOldConff != 0:
		return true, nil
	case isDir && (f.hasConffiles(p) || f.usedBy(left)):
		return true, nil
	case isDir && f.usedByOthers(p):
		return false, nil
	case isDir && use.name == "/.":
		return true, nil
	}
	if err := r.touchedPath(use, p); err != nil {
		return false, err
	}
	at, n, err := r.db.place(use.name)
	if err != nil {
		return false, err
	}
	for _, suffix := range []string{".dpkg-tmp", newSuffix} {
		if err := r.db.eraseAll(at + suffix); err != nil {
			return false, err
		}
	}
	if n == nil {
		return false, nil
	}
	if n.Kind == layer.Dir {
		names, err := r.db.t.ReadDir(at)
		if err != nil || len(names) > 0 {
			return true, err
		}
	}
	return false, r.db.t.Erase(at)
}
