package program

import (
	"errors"
	"fmt"
)

// Check reports, without the go command, why a program cannot be compiled: its package is not in
// the source, has no Go files for the platform, or is not a main package, or it takes a C compiler
// that is not installed. It also reports flags that a third-party release may not have.
func (p Program) Check() error {
	if err := p.checkConfined(); err != nil {
		return err
	}
	err := p.checkCompiler()
	if err == nil {
		err = p.checkPackage()
	}
	if err != nil {
		return fmt.Errorf("program %s: %w", p.Name, err)
	}
	return nil
}

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
			errs = append(errs,
				fmt.Errorf("program %s: the release has %.200q under %s, which may run commands on this machine: "+
					"%s: read its slipway.yaml, and name -allow-commands if you trust it", p.Name,
					l.list[r.at], l.field, r.why))
		}
	}
	return errors.Join(errs...)
}
