package maintainer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
)

// Runner carries out maintainer scripts. Its zero value is useful.
type Runner struct {
	Day int // today in days since 1970-01-01, for /etc/shadow
	// Architecture is that of the system, as dpkg --print-architecture names it; empty for amd64.
	Architecture string
	// Env has variables that scripts see, such as DEBIAN_FRONTEND and those of ENV.
	Env map[string]string
	// Skip has packages whose scripts are not carried out, each with the reason.
	Skip map[string]string
	// Selections are lines of debconf-set-selections: OWNER QUESTION TYPE VALUE.
	Selections []string
	// Programs are known elsewhere: programs of the system, such as useradd. They come after those
	// of this package; nil for none.
	Programs func(name string) (Program, bool)
	Limits   shell.Limits // of one script
	Notes    []Note       // what was left out

	rows map[string]row
}

// Program carries out a program of the system. args is without the name. It returns the status
// that the program ends with, and what it prints on standard error.
type Program func(ctx context.Context, t *tree.Tree, call SystemCall) (status int, text string, err error)

// SystemCall is what a [Program] gets.
type SystemCall struct {
	Args []string
	Out  *shell.Stream
	Day  int
	Env  func(name string) string
}

// Note says what was left out of the effects of a script.
type Note struct {
	Package, Version, Script string
	Kind                     Kind
	Text                     string
}

func (n Note) String() string {
	return fmt.Sprintf("%s %s: %s: %s", n.Package, n.Version, n.Script, n.Text)
}

// Kind is why something was left out.
type Kind string

// The kinds of notes.
const (
	Identity Kind = "identity" // a machine invents it for itself
	Cache    Kind = "cache"    // a program computes it from files that are there
	Service  Kind = "service"  // it concerns what runs, and in an image nothing runs
	Skipped  Kind = "skipped"  // slipway.yaml skips the script
	Known    Kind = "known"    // the script is in the table of scripts with known effects
)

// run is one script that is carried out.
type run struct {
	*Runner
	t       *tree.Tree
	s       Script
	m       *shell.Machine
	debconf *session // nil until a script talks to debconf
	invents bool     // it has an identity that is left out
	last    string   // where the last command that failed stands
}

// Run carries out a script. The error of a script that fails, or of a command that is not known,
// is one line with package, version, script, line and column.
func (r *Runner) Run(ctx context.Context, t *tree.Tree, s Script) error {
	if reason, ok := r.Skip[s.Package]; ok {
		r.note(s, Skipped, "not carried out: "+reason)
		return nil
	}
	if len(bytes.TrimSpace(s.Text)) == 0 {
		return nil
	}
	one := &run{Runner: r, t: t, s: s}
	if done, err := one.known(); done || err != nil {
		return one.blame(err)
	}
	if !isShell(s.Text) {
		return one.blame(fmt.Errorf("%s: it is a program for %s, and no program is run: %s",
			s.Name, interpreter(s.Text), instead))
	}
	return one.blame(one.carryOut(ctx))
}

// instead is what one can do about a script that is not understood.
const instead = "leave the package out, or skip its scripts in slipway.yaml with a reason"

// blame adds the package to an error.
func (r *run) blame(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", r.s.Package, r.s.Version, err)
}

func (r *Runner) note(s Script, kind Kind, text string) {
	n := Note{s.Package, s.Version, s.Name, kind, text}
	if !slices.Contains(r.Notes, n) {
		r.Notes = append(r.Notes, n)
	}
}

// carryOut evaluates the script.
func (r *run) carryOut(ctx context.Context) error {
	r.m = &shell.Machine{Tree: r.t, Run: r.program, Source: r.source, Limits: r.Limits}
	errs := r.m.NewBuffer()
	zero := cmp.Or(r.s.Path, "/var/lib/dpkg/info/"+r.s.Package+"."+r.s.Name)
	args := append([]string{zero}, r.s.Args...)
	sh := r.m.New(r.s.Name, args, r.environment(), r.m.Null(), r.m.Null(), errs)
	status, err := sh.Script(ctx, r.s.Text)
	if e := r.m.Flush(); err == nil {
		err = e
	}
	if err != nil {
		var at *shell.Error
		if !errors.As(err, &at) {
			err = fmt.Errorf("%s: %w", sh.Where(), err)
		}
		return err
	}
	if status != 0 {
		return fmt.Errorf("%s ends with status %d%s: %s",
			cmp.Or(r.last, r.s.Name), status, lastLine(errs.Text()), instead)
	}
	return errors.Join(r.forget(), r.finishDebconf())
}

// lastLine returns what a script printed last, to be put into an error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	if last == "" {
		return ""
	}
	if len(last) > 200 {
		last = last[:200] + "…"
	}
	return " (" + last + ")"
}

// environment returns the variables that dpkg gives to scripts.
func (r *run) environment() map[string]string {
	env := map[string]string{
		"PATH":            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME":            "/root",
		"DEBIAN_FRONTEND": "noninteractive",
	}
	maps.Copy(env, r.Env)
	maps.Copy(env, map[string]string{
		"DPKG_ADMINDIR":                     "/var/lib/dpkg",
		"DPKG_ROOT":                         "",
		"DPKG_RUNNING_VERSION":              "1.21.23",
		"DPKG_MAINTSCRIPT_PACKAGE":          r.s.Package,
		"DPKG_MAINTSCRIPT_ARCH":             r.s.Arch,
		"DPKG_MAINTSCRIPT_NAME":             r.s.Name,
		"DPKG_MAINTSCRIPT_PACKAGE_REFCOUNT": strconv.Itoa(max(r.s.Instances, 1)),
		"DPKG_MAINTSCRIPT_DEBUG":            "0",
	})
	return env
}

// isShell reports whether a text is a script for a shell that package shell evaluates.
func isShell(text []byte) bool {
	switch interpreter(text) {
	case "sh", "bash", "dash":
		return true
	}
	return false
}

// interpreter returns the name of the program that a script is for.
func interpreter(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		if bytes.HasPrefix(text, []byte("\x7fELF")) {
			return "the machine itself"
		}
		return "nothing that is known"
	}
	fields := strings.Fields(string(line[2:]))
	if len(fields) > 1 && strings.HasSuffix(fields[0], "/env") {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return "nothing that is known"
	}
	name := fields[0][strings.LastIndexByte(fields[0], '/')+1:]
	if len(name) > 40 {
		name = name[:40]
	}
	return name
}
