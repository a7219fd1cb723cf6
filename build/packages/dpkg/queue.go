package dpkg

import (
	"context"
	"fmt"
)

// What dpkg does to make progress, more with each step.
const (
	tryNormal = iota + 1
	tryCycles
	tryTriggers
	tryTriggersCycles
	tryForce
	tryLast
)

// enqueue puts a package at the end of the queue, unless it is in it.
func (r *run) enqueue(p *pkg) {
	if !p.queued {
		p.queued = true
		r.queue = append(r.queue, p)
	}
}

// enqueuePending queues what --pending means.
func (r *run) enqueuePending() {
	for _, p := range r.db.hashed() {
		switch r.action {
		case actRemove, actPurge:
			if p.state == notInstalled || p.want != wantPurge && (p.want != wantDeinstall || p.state == configFiles) {
				continue
			}
		default:
			if p.state != unpacked && p.state != halfConfigured && len(p.pending) == 0 ||
				p.want != wantInstall && p.want != wantHold {
				continue
			}
		}
		r.enqueue(p)
	}
}

// process works on the queue until it is empty. A package whose dependencies are not yet
// configured goes to its end.
func (r *run) process(ctx context.Context) error {
	for _, p := range r.db.hashed() {
		p.toBe, p.replacing = toBeNormal, 0
	}
	for _, p := range r.queue {
		p.toBe = toBeInstalled
		if r.action == actRemove || r.action == actPurge {
			p.toBe = toBeRemoved
		}
	}
	r.installing = nil
	for len(r.queue) > 0 {
		p := r.queue[0]
		r.queue = r.queue[1:]
		p.queued = false
		p, err := r.progress(p)
		if err != nil {
			return err
		}
		if err := r.processOne(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// progress decides whether more is to be done to make progress, and with which package.
func (r *run) progress(p *pkg) (*pkg, error) {
	const rounds, roundsMore = 2, 3
	since := r.sinceNothing
	r.sinceNothing++
	switch {
	case since > len(r.queue)*roundsMore+2:
		r.try++
		r.sinceNothing = 0
	case r.sinceNothing > len(r.queue)*rounds+2:
		if b := r.byTriggers; r.try >= tryTriggers && b != nil && len(b.pending) > 0 {
			r.enqueue(p)
			r.byTriggers = nil
			return b, nil
		}
		r.try++
		r.sinceNothing = 0
	}
	if r.try >= tryLast {
		return nil, fmt.Errorf("package %s waits for others, and these for it", p.set.name)
	}
	return p, nil
}

func (r *run) processOne(ctx context.Context, p *pkg) error {
	switch {
	case r.action == actRemove || r.action == actPurge:
		if err := r.removeOne(ctx, p); err != nil {
			return fmt.Errorf("removing %s: %w", p.set.name, err)
		}
		return nil
	case r.action == actInstall && p.state == notInstalled:
		return nil // it disappeared
	case len(p.pending) > 0:
		return r.processPackage(ctx, p, procQueued)
	}
	if err := r.configure(ctx, p); err != nil {
		return fmt.Errorf("configuring %s: %w", p.set.name, err)
	}
	return nil
}

// found is how well a dependency is fulfilled.
type found uint8

const (
	foundNone found = iota
	foundDefer
	foundOK
)

// ready reports how well the dependencies of a package are fulfilled for it to be configured; or,
// if removing is set, how well without that package. why names the one that is not.
func (r *run) ready(p, removing *pkg) (ok found, why string) {
	ok = foundOK
	var can *pkg
	cannot := false
	for _, d := range p.installed.depends {
		if !d.needs() {
			continue
		}
		f, fix, matched := r.readyFor(d, p, removing)
		if removing != nil && !matched {
			continue
		}
		switch f {
		case foundNone:
			cannot = true
			why, ok = d.relation(), foundNone
		case foundDefer:
			if fix != nil {
				can = fix
			} else {
				cannot = true
			}
			ok = min(ok, foundDefer)
		}
	}
	if ok == foundNone && p.toBe == toBeRemoved {
		ok = foundDefer
	}
	if !cannot && can != nil {
		r.byTriggers = can
	}
	return ok, why
}

// readyFor is ready for one dependency. fix is a package whose triggers would help, and matched
// reports whether the package that is removed would fulfill it.
func (r *run) readyFor(d *dependency, p, removing *pkg) (best found, fix *pkg, matched bool) {
	for _, one := range d.list {
		if one.broken {
			return foundOK, fix, matched
		}
		consider := func(other *pkg, right bool) {
			f, by := r.readyBy(other, removing, right)
			if other == removing {
				matched = true
			}
			if by != nil {
				fix = by
			}
			best = max(best, f)
		}
		for _, other := range one.set.pkgs {
			b := &other.installed
			if best != foundOK && r.db.satisfiesArch(b, b.arch, one) {
				consider(other, one.Op.Satisfied(b.version, one.Version))
			}
		}
		for _, pr := range one.set.providers() {
			other := pr.up.up
			if best == foundOK || !r.db.satisfiesArch(&other.installed, pr.arch, one) {
				continue
			}
			before := best
			consider(other, satisfiesVirtual(one, pr))
			if best == foundDefer && before < best && other == p && removing == nil {
				best = foundOK // it provides what it needs
			}
		}
		if best == foundOK {
			break
		}
	}
	if best != foundOK && r.force && r.try < tryForce {
		best = max(best, foundDefer)
	} else if r.force {
		best = foundOK
	}
	return best, fix, matched
}

// readyBy is how well a package fulfills a dependency. right reports whether it has the version.
func (r *run) readyBy(other, removing *pkg, right bool) (found, *pkg) {
	switch {
	case other == removing || other.state < unpacked || !right:
		return foundNone, nil
	case other.state >= triggersPending:
		return foundOK, nil
	case other.state == triggersAwaited:
		if removing != nil || r.triggers == 0 && other.toBe != toBeInstalled {
			return foundNone, nil
		}
		return foundDefer, other.awaits[0]
	case other.toBe == toBeInstalled:
		return foundDefer, nil
	}
	return foundNone, nil
}
