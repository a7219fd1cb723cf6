package dpkg

import (
	"context"
	"fmt"
	"slices"
)

// deconfigured is a package that is deconfigured for another; removing is the package that is
// removed, if that is why.
type deconfigured struct{ pkg, removing *pkg }

// addDeconfigured puts a package in front of those that are deconfigured.
func (r *run) addDeconfigured(p, removing *pkg) {
	p.toBe = toBeDeconfigured
	r.deconfigure = append([]deconfigured{{p, removing}}, r.deconfigure...)
}

// checkDependencies checks what a package that is to be unpacked needs and excludes. Packages that
// it excludes are queued for removal or deconfiguration.
func (r *run) checkDependencies(ctx context.Context, p *pkg) error {
	p.toBe, r.installing = toBeInstalled, p
	for _, d := range p.available.depends {
		var err error
		switch d.field {
		case "Conflicts":
			err = r.checkConflict(d, p)
		case "Breaks":
			err = r.checkBreaks(d)
		case "Provides":
			for _, one := range d.list[0].set.reverse("Conflicts") {
				if err = r.checkConflict(one.up, p); err != nil {
					break
				}
			}
		case "Pre-Depends":
			err = r.checkPreDepends(ctx, d)
		}
		if err != nil {
			return err
		}
	}
	for _, one := range p.set.reverse("Conflicts") {
		if err := r.checkConflict(one.up, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) checkPreDepends(ctx context.Context, d *dependency) error {
	v := r.check(d, true)
	if v.ok {
		return nil
	}
	if v.awaiting == nil {
		return fmt.Errorf("%s, which is not fulfilled before it is unpacked", v.why)
	}
	for len(v.awaiting.awaits) > 0 {
		if err := r.processPackage(ctx, v.awaiting.awaits[0], procRequired); err != nil {
			return err
		}
	}
	return nil
}

// checkBreaks deconfigures what a package breaks.
func (r *run) checkBreaks(d *dependency) error {
	v := r.check(d, false)
	switch {
	case v.ok:
		return nil
	case v.without == nil || !r.autoDeconfigure:
		return fmt.Errorf("%s: install a version of it that is not broken", v.why)
	}
	r.addDeconfigured(v.without, nil)
	return nil
}

// checkConflict queues the removal of what conflicts with a package, if it may go.
func (r *run) checkConflict(d *dependency, p *pkg) error {
	v := r.check(d, false)
	if v.ok {
		return nil
	}
	other := v.without
	if other != nil && other.toBe == toBeInstalled {
		other = d.up
	}
	fail := fmt.Errorf("%s: remove it before", v.why)
	if other == nil || !r.mayRemove(other, p) {
		return fail
	}
	other.toBe = toBeRemoved
	if other.state >= triggersAwaited {
		sets := []*pkgset{other.set}
		for _, d := range other.installed.depends {
			if d.field == "Provides" {
				sets = append(sets, d.list[0].set)
			}
		}
		for _, s := range sets {
			for _, one := range s.reverse("Depends", "Pre-Depends") {
				if v := r.check(one.up, false); v.ok {
					continue
				}
				user := one.up.up
				if !r.autoDeconfigure || user.installed.essential || user.installed.protected {
					return fmt.Errorf("%w; and %s needs it", fail, user.set.name)
				}
				r.addDeconfigured(user, other)
			}
		}
	}
	if other.want == wantHold || other.reinstall {
		return fail
	}
	r.conflictors = append(r.conflictors, other)
	return nil
}

// mayRemove reports whether a package may be removed in favor of another.
func (r *run) mayRemove(other, p *pkg) bool {
	vital := other.installed.essential || other.installed.protected
	if vital && (p.available.essential || p.available.protected) {
		return true
	}
	unwanted := other.want != wantInstall && other.want != wantHold
	return (unwanted || r.db.replaces(&p.available, other, &other.installed)) &&
		(!other.installed.essential || !other.installed.protected)
}

const inFavor = "in-favour" //nolint:misspell // the word of dpkg

// deconfigureOthers runs the prerm of packages that are deconfigured or removed for p.
func (r *run) deconfigureOthers(ctx context.Context, p *pkg) error {
	favor := []string{inFavor, r.db.label(p, &p.available), p.available.version.String()}
	for _, d := range r.deconfigure {
		if err := r.changingInstalled(d.pkg); err != nil {
			return err
		}
		d.pkg.state = halfConfigured
		if err := r.db.note(d.pkg); err != nil {
			return err
		}
		args := append([]string{"deconfigure"}, favor...)
		if o := d.removing; o != nil {
			args = append(args, "removing", r.db.label(o, &o.installed), o.installed.version.String())
		}
		if err := r.call(ctx, d.pkg, "prerm", args...); err != nil {
			return err
		}
	}
	for _, other := range r.conflictors {
		if other.state < halfConfigured {
			continue
		}
		if err := r.changingInstalled(other); err != nil {
			return err
		}
		other.state = halfConfigured
		if err := r.db.note(other); err != nil {
			return err
		}
		if err := r.call(ctx, other, "prerm", slices.Concat([]string{"remove"}, favor)...); err != nil {
			return err
		}
		other.state = halfInstalled
		if err := r.db.note(other); err != nil {
			return err
		}
	}
	return nil
}
