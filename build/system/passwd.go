package system

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// passwd is that of shadow 4.13, as far as it asks for no password: -l, -u, -d and -e.
func passwd(_ context.Context, s *System, args []string, out io.Writer) error {
	const me = "passwd"
	list, names, err := syntax{
		program: me, letters: "deluq", long: "delete=d expire=e lock=l unlock=u quiet=q",
	}.parse(args)
	if err != nil {
		return err
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fail(me, 2, "it takes one name, and has %d", len(names))
	}
	f := a.shadow.find(names[0])
	if f == nil {
		return fail(me, 1, "user '%s' does not exist", names[0])
	}
	quiet, asks, text := false, true, "password expiry information changed."
	for _, o := range list {
		switch o.key {
		case "q":
			quiet = true
			continue
		case "d":
			f[fieldPassword] = ""
		case "e":
			f[fieldChanged] = "0"
		case "l":
			if !strings.HasPrefix(f[fieldPassword], "!") {
				f[fieldPassword] = "!" + f[fieldPassword]
			}
		case "u":
			if p := strings.TrimPrefix(f[fieldPassword], "!"); p != "" {
				f[fieldPassword] = p
			} else {
				return fail(me, 3, "unlocking the password would result in a passwordless account")
			}
		}
		asks = false
	}
	if asks {
		return fmt.Errorf("%s: it asks for a password, and nobody is there to answer: leave it out", me)
	}
	a.shadow.set(f[0], f...)
	if !quiet {
		fmt.Fprintf(out, "passwd: %s\n", text)
	}
	return a.save()
}
