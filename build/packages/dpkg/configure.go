package dpkg

import (
	"context"
	"fmt"
)

// configurePending is a call of dpkg --configure --pending.
func (in *installer) configurePending(ctx context.Context, triggers int) error {
	r, err := in.begin(actConfigure)
	if err != nil {
		return err
	}
	r.triggers = triggers
	r.enqueuePending()
	if err := r.process(ctx); err != nil {
		return err
	}
	return r.finish(ctx)
}

// configureNamed is a call of dpkg --configure.
func (in *installer) configureNamed(ctx context.Context, triggers int, names []string) error {
	r, err := in.begin(actConfigure)
	if err != nil {
		return err
	}
	r.triggers = triggers
	for _, name := range names {
		p, err := r.db.named(name)
		if err != nil {
			return err
		}
		r.enqueue(p)
	}
	for _, p := range r.db.hashed() {
		if len(p.pending) > 0 && p.state >= triggersAwaited && (p.want == wantInstall || p.want == wantHold) {
			r.enqueueTriggers(p)
		}
	}
	if err := r.process(ctx); err != nil {
		return err
	}
	return r.finish(ctx)
}

// configure configures a package that was unpacked, if its dependencies are.
func (r *run) configure(ctx context.Context, p *pkg) error {
	if p.state == installed || p.state == notInstalled {
		return fmt.Errorf("it is %s, and cannot be configured", p.state)
	}
	if p.state != unpacked && p.state != halfConfigured {
		return fmt.Errorf("it is %s, and cannot be configured", p.state)
	}
	for _, other := range p.set.pkgs {
		if other == p || other.state <= configFiles {
			continue
		}
		if other.state < unpacked || other.installed.version.Compare(p.installed.version) != 0 {
			return fmt.Errorf("for %s it has version %s, and for %s %s (%s): install the same", p.installed.arch,
				p.installed.version, other.installed.arch, other.installed.version, other.state)
		}
	}
	if r.try >= tryCycles {
		found, err := r.breakCycle(p)
		if err != nil {
			return err
		}
		if found {
			r.sinceNothing = 0
		}
	}
	ok, why := r.ready(p, nil)
	if ok == foundDefer {
		p.toBe = toBeInstalled
		r.enqueue(p)
		return nil
	}
	r.cycles.reset()
	if ok == foundNone {
		return fmt.Errorf("it depends on %s, which is not there", why)
	}
	if err := r.checkBroken(p); err != nil {
		return err
	}
	r.sinceNothing = 0
	if p.reinstall {
		return fmt.Errorf("it has to be installed again, as its status says")
	}
	r.report.SetUp = append(r.report.SetUp, r.db.label(p, &p.installed))
	return r.setUp(ctx, p)
}

// setUp configures a package.
func (r *run) setUp(ctx context.Context, p *pkg) error {
	if err := r.changingInstalled(p); err != nil {
		return err
	}
	if p.state == unpacked {
		if err := r.db.note(p); err != nil {
			return err
		}
		if err := r.configureConffiles(p); err != nil {
			return err
		}
		p.state = halfConfigured
	}
	if err := r.db.note(p); err != nil {
		return err
	}
	if err := r.call(ctx, p, "postinst", "configure", p.configVersion.String()); err != nil {
		return err
	}
	p.reinstall, p.pending = false, nil
	return r.configured(p)
}

// checkBroken returns an error if an installed package breaks one that is to be configured.
func (r *run) checkBroken(p *pkg) error {
	if err := r.checkBreakers(p, p.set, nil); err != nil {
		return err
	}
	for _, d := range p.installed.depends {
		if d.field == "Provides" {
			if err := r.checkBreakers(p, d.list[0].set, d.list[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBreakers is checkBroken for a name that a package has, or that it provides.
func (r *run) checkBreakers(p *pkg, s *pkgset, provided *possibility) error {
	for _, one := range s.reverse("Breaks") {
		by := one.up.up
		if by.state > configFiles && by != p && r.db.satisfies(&p.installed, one) &&
			(provided == nil || satisfiesVirtual(one, provided)) {
			return fmt.Errorf("package %s %s breaks it: it has Breaks: %s", by.set.name, by.installed.version, one)
		}
	}
	return nil
}
