package program

import (
	"errors"
	"fmt"
)

// checkConfined reports what the flags and variables of a program could do to this machine, if its
// source may not: those of a third-party release. Whether they are from slipway.yaml, a .ko.yaml
// or a Dockerfile does not matter.
func (p Program) checkConfined() error {
	if !p.Tree.Source.Confined {
		return nil
	}
	var errs []error
	for _, l := range []struct {
		field string
		list  []string
		check func([]string) []refusal
	}{{"env", p.Env, refusedVariables}, {"flags", p.Flags, refusedFlags}, {"ldflags", p.Ldflags, refusedLdflags}} {
		for _, r := range l.check(l.list) {
			errs = append(errs, fmt.Errorf("program %s: the release has %.200q under %s, which may run commands on this machine: %s: read its slipway.yaml, and name -allow-commands if you trust it", p.Name, l.list[r.at], l.field, r.why))
		}
	}
	return errors.Join(errs...)
}
