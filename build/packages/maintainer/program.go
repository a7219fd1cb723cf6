package maintainer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// program carries out a command that is not the shell's own.
func (r *run) program(ctx context.Context, c *shell.Call) (int, error) {
	status, err := r.dispatch(ctx, c)
	if err != nil {
		return 0, placed(c, err)
	}
	if status != 0 {
		r.last = c.Shell.Where() + ": " + c.Args[0]
	}
	return status, nil
}

// placed adds the place of a call to an error that has none.
func placed(c *shell.Call, err error) error {
	var at *shell.Error
	if errors.As(err, &at) {
		if at.At == "" {
			at.At = c.Shell.Where()
		}
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &shell.Error{At: c.Shell.Where(), Text: c.Args[0] + " " + err.Error()}
}

// standard are the directories whose programs the table means.
var standard = map[string]bool{
	"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true,
}

// essential are programs of essential packages, which a script may call without a dependency: they
// are carried out in an image without these packages, too.
var essential = map[string]bool{
	"update-alternatives": true, "dpkg-statoverride": true, "ldconfig": true, "getent": true, "id": true,
}

// helper is a script of dpkg, which is evaluated where it is there.
const helper = "dpkg-maintscript-helper"

// fresh reports whether a call of helper is about a package of which no version was there before:
// then it has nothing to move.
func fresh(args []string) bool {
	n := slices.Index(args, "--")
	return n >= 0 && (len(args) < n+3 || args[n+2] == "") && len(args) > n+1 &&
		(args[n+1] == "install" || args[n+1] == "configure")
}

func (r *run) dispatch(ctx context.Context, c *shell.Call) (int, error) {
	name := c.Args[0]
	if r.debconf != nil && strings.HasPrefix(name, "db_") {
		return r.command(ctx, c, row{run: debconfCommand, plain: true})
	}
	at, err := c.Shell.LookPath(name)
	if err != nil {
		return 0, err
	}
	known, ok := r.lookUp(name, at)
	if at == "" && !ok && r.Programs != nil && essential[name] {
		at = "/usr/bin/" + name
	}
	if at == "" && (!ok || !known.essential) {
		if strings.Contains(name, "/") {
			if n, err := c.Shell.Stat(name); err != nil || n != nil {
				c.Err.Printf("%s: Permission denied\n", name)
				return 126, err
			}
		}
		if name == helper && fresh(c.Args) {
			return 0, nil
		}
		c.Err.Printf("%s: not found\n", name)
		return 127, nil
	}
	if ok {
		return r.command(ctx, c, known)
	}
	if r.Programs != nil && standard[path.Dir(at)] {
		if p, ok := r.Programs(path.Base(at)); ok {
			args := systemArgs(path.Base(at), c.Args[1:])
			status, text, err := p(ctx, r.t, SystemCall{args, c.Out, r.Day, c.Shell.Getenv})
			c.Err.Printf("%s", text)
			return status, err
		}
	}
	text, err := tree.ReadText(r.t, at)
	if err != nil {
		return 0, err
	}
	if isShell(text) {
		return r.child(ctx, c, at, text, append([]string{at}, c.Args[1:]...))
	}
	return 0, fmt.Errorf("is a program for %s, and no program is run: %s", interpreter(text), instead)
}

// systemArgs leaves out options that name the root of the system, which is where all happens.
func systemArgs(name string, args []string) []string {
	n := slices.Index(args, "-r")
	if name == "ldconfig" && n >= 0 && n+1 < len(args) && strings.Trim(args[n+1], "/") == "" {
		args = slices.Delete(slices.Clone(args), n, n+2)
	}
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--root=" || a == "--root=/" })
}

// python matches the names that an interpreter of Python has.
var python = lazyregexp.New(`^python3(\.[0-9]+)?$`)

// lookUp returns the row of a command that was found at a path.
func (r *Runner) lookUp(name, at string) (row, bool) {
	if at == "" {
		at = name
	}
	if k, ok := r.table()[at]; ok && strings.Contains(at, "/") {
		return k, true
	}
	base := path.Base(at)
	if python.MatchString(base) {
		base = "python3"
	}
	k, ok := r.table()[base]
	if strings.Contains(at, "/") && !standard[path.Dir(at)] && !k.anywhere {
		return row{}, false
	}
	return k, ok
}

// child evaluates a script in a shell of its own.
func (r *run) child(ctx context.Context, c *shell.Call, name string, text []byte, args []string) (int, error) {
	sh := r.m.New(path.Base(name), args, c.Shell.Environ(), c.In, c.Out, c.Err)
	sh.Dir, sh.Umask = c.Shell.Dir, c.Shell.Umask
	if interpreter(text) == "bash" {
		sh.Bash = true
	}
	outer := r.debconf
	status, err := sh.Script(ctx, text)
	if outer == nil && err == nil { // a talk of its own with debconf
		err = r.finishDebconf()
		r.debconf = nil
	}
	if err != nil {
		return 0, &shell.Error{At: c.Shell.Where() + ": " + c.Args[0], Text: err.Error()}
	}
	return status, nil
}
