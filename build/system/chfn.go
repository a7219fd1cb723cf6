package system

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// chfn is that of shadow 4.13: the parts of a user's comment, which commas separate.
func chfn(_ context.Context, s *System, args []string, _ io.Writer) error {
	const me = "chfn"
	list, names, err := syntax{
		program: me, letters: "f:r:w:h:o:u", long: "full-name=f room=r work-phone=w home-phone=h other=o",
	}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	switch {
	case len(names) != 1:
		return fail(me, 2, "it takes one name, and has %d", len(names))
	case len(list) == 0:
		return fmt.Errorf("%s: it asks for each value, and nobody is there to answer: write them as options", me)
	}
	u := a.user(names[0])
	if u == nil {
		return fail(me, 1, "user '%s' does not exist", names[0])
	}
	// what other programs wrote there may have more commas: the rest is the last part
	parts := strings.SplitN(u[fieldComment], ",", 5)
	for len(parts) < 5 {
		parts = append(parts, "")
	}
	for _, o := range list {
		if strings.ContainsAny(o.value, ":\n") || o.key != "o" && strings.ContainsAny(o.value, ",=") {
			return fail(me, 3, "invalid value of -%s: '%s'", o.key, o.value)
		}
		parts[strings.Index("frwho", o.key)] = o.value
	}
	// the four parts stand there even if they are empty
	if u[fieldComment] = strings.Join(parts[:4], ","); parts[4] != "" {
		u[fieldComment] += "," + parts[4]
	}
	a.passwd.set(u[0], u...)
	return a.save()
}

// chsh is that of shadow 4.13.
func chsh(_ context.Context, s *System, args []string, _ io.Writer) error {
	const me = "chsh"
	list, names, err := syntax{program: me, letters: "s:", long: "shell=s"}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(names) != 1 || len(list) == 0 {
		return fmt.Errorf("%s: it asks for the shell, and nobody is there to answer: write -s SHELL USER", me)
	}
	u := a.user(names[0])
	shell := list[len(list)-1].value
	switch {
	case u == nil:
		return fail(me, 1, "user '%s' does not exist", names[0])
	case !printable(shell) || strings.ContainsAny(shell, ",="):
		return fail(me, 1, "Invalid entry: %s", shell)
	}
	u[fieldShell] = shell
	a.passwd.set(u[0], u...)
	return a.save()
}
