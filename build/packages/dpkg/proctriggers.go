package dpkg

import (
	"context"
	"fmt"
	"strings"
)

// enqueueTriggers puts a package at the end of those whose triggers are processed when all else
// is done.
func (r *run) enqueueTriggers(p *pkg) {
	if r.triggers >= 0 && !p.deferred {
		p.deferred = true
		r.late = append(r.late, p)
	}
}

// processTriggers processes the triggers that were left to the end.
func (r *run) processTriggers(ctx context.Context) error {
	for len(r.late) > 0 {
		p := r.late[0]
		r.late = r.late[1:]
		if !p.deferred {
			continue // they were processed
		}
		p.deferred = false
		if err := r.processPackage(ctx, p, procDeferred); err != nil {
			return err
		}
	}
	return nil
}

// proc is why triggers are processed.
type proc uint8

const (
	procQueued   proc = iota // the package is in the queue
	procDeferred             // if it is possible
	procRequired
)

// processPackage runs the postinst of a package for its pending triggers.
func (r *run) processPackage(ctx context.Context, p *pkg, why proc) error {
	p.deferred = false
	if len(p.pending) == 0 {
		return r.db.clearAwaiters(p)
	}
	if r.try < tryTriggers && why == procQueued {
		r.enqueue(p)
		return nil
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
	loop := fmt.Errorf("the triggers of package %s are activated again and again", p.set.name)
	switch ok, missing := r.ready(p, nil); {
	case ok == foundDefer:
		if r.try >= tryTriggersCycles && r.looping() {
			return loop
		}
		r.enqueue(p)
		return nil
	case ok == foundNone && why == procDeferred:
		r.cycles.reset()
		return nil
	case ok == foundNone:
		return fmt.Errorf("the triggers of package %s cannot be processed, because it depends on %s, "+
			"which is not there", p.set.name, missing)
	}
	if r.looping() {
		return loop
	}
	names := strings.Join(p.pending, " ")
	p.state = halfConfigured
	if err := r.db.note(p); err != nil {
		return err
	}
	r.sinceNothing = 0
	if err := r.call(ctx, p, "postinst", "triggered", names); err != nil {
		return err
	}
	return r.configured(p)
}
