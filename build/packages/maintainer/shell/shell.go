// Package shell evaluates POSIX shell scripts, and the parts of bash that maintainer scripts use,
// on the files of a tree. mvdan.cc/sh parses; nothing here starts a process, opens a file of the
// machine, or reads its clock, environment or accounts. Commands that are not the shell's own are
// functions that the caller provides.
//
// Everything happens in one goroutine: the commands of a pipeline run one after the other, so that
// a script has one result. See docs/adr/0064-maintainer-scripts.md for why this is not
// mvdan.cc/sh/v3/interp.
package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// Limits bound what one script may do, with all scripts that it calls. A zero field has a default.
type Limits struct {
	Steps   int // statements and rounds of loops; zero is 2,000,000
	Depth   int // functions and scripts within one another; zero is 200
	Written int // bytes written to files, pipes and variables; zero is 256 MiB
}

const (
	maxSteps   = 2_000_000
	maxDepth   = 200
	maxWritten = 256 << 20
	// MaxScript bounds the text of a script, in bytes: the parser recurses. The longest that Debian
	// has as a maintainer script is a third of this.
	MaxScript = 256 << 10
	// maxNesting bounds parentheses, braces and quotes within one another.
	maxNesting = 500
)

// Program carries out a command that is not the shell's own. It returns the exit status. An error
// means that the command is not understood, and ends everything.
type Program func(ctx context.Context, c *Call) (int, error)

// Machine is what the scripts of one run have in common.
type Machine struct {
	Tree *tree.Tree
	// Run carries out the commands that are not the shell's own.
	Run Program
	// Source is asked first about each file that a script reads with "."; nil for nothing. It
	// returns whether it has taken the place of the file.
	Source func(ctx context.Context, sh *Shell, args []string) (bool, error)
	Limits Limits

	steps, depth, written int
	serial                int // of temporary files
	builtins              map[string]builtin
	open                  []*file // that have content which the tree does not have yet
}

// Call is the call of a program.
type Call struct {
	Shell *Shell // whose command it is
	Args  []string
	In    *Stream
	Out   *Stream
	Err   *Stream
}

// Shell is a shell, or a subshell, with its variables.
type Shell struct {
	*Machine
	Name   string // of the script, in messages
	Zero   string // $0
	Params []string
	Dir    string
	Umask  uint32
	Bash   bool // the script is bash's

	vars      map[string]variable
	functions map[string]*syntax.Stmt
	streams   map[int]*Stream
	locals    []map[string]*variable // what the functions that run have hidden
	traps     map[string]string
	options   map[string]bool
	status    int
	subst     int // status of the last command substitution
	tested    int // set -e does not count
	loops     int
	optind    int // within a word of getopts
	at        syntax.Pos
}

type variable struct {
	text     string
	list     []string // of bash
	isList   bool
	set      bool
	exported bool
	readonly bool
}

// New returns a shell with the given environment, whose standard streams are in, out and errs.
func (m *Machine) New(name string, args []string, env map[string]string, in, out, errs *Stream) *Shell {
	sh := &Shell{
		Machine: m, Name: name, Zero: args[0], Params: slices.Clone(args[1:]), Dir: "/", Umask: 0o022,
		vars: map[string]variable{}, functions: map[string]*syntax.Stmt{}, traps: map[string]string{},
		options: map[string]bool{}, streams: map[int]*Stream{0: in, 1: out, 2: errs},
	}
	for k, v := range env {
		sh.vars[k] = variable{text: v, set: true, exported: true}
	}
	sh.vars["IFS"] = variable{text: " \t\n", set: true}
	sh.vars["OPTIND"] = variable{text: "1", set: true}
	sh.vars["PPID"] = variable{text: "1", set: true}
	sh.vars["PWD"] = variable{text: "/", set: true, exported: sh.vars["PWD"].exported}
	return sh
}

// Script runs a script to its end and returns its status.
func (sh *Shell) Script(ctx context.Context, text []byte) (int, error) {
	if err := sh.enter(); err != nil {
		return 0, err
	}
	defer sh.leave()
	sh.interpreter(text)
	f, err := sh.parse(text, sh.Name)
	if err != nil {
		return 0, err
	}
	err = sh.statements(ctx, f.Stmts)
	return sh.ended(ctx, err)
}

// interpreter reads the first line of a script.
func (sh *Shell) interpreter(text []byte) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !bytes.HasPrefix(line, []byte("#!")) || len(fields) == 0 {
		return
	}
	sh.Bash = path.Base(fields[0]) == "bash"
	for _, f := range fields[1:] {
		sh.setLetters(f)
	}
}

// ended returns the status of a script, after its trap.
func (sh *Shell) ended(ctx context.Context, err error) (int, error) {
	if err := sh.jumped(err); err != nil {
		return 0, err
	}
	if action, ok := sh.traps["EXIT"]; ok && action != "" {
		status := sh.status
		delete(sh.traps, "EXIT")
		sh.options["errexit"] = false
		if err := sh.evaluate(ctx, action); err != nil {
			var j *jump
			if !asJump(err, &j) {
				return 0, err
			}
			if j.kind == exiting {
				status = j.n
			}
		}
		sh.status = status
	}
	return sh.status, sh.flush()
}

// jumped turns a jump that leaves a shell into its status.
func (sh *Shell) jumped(err error) error {
	var f *failed
	if errors.As(err, &f) {
		sh.complain(f.text)
		sh.status = f.status
		return nil
	}
	var j *jump
	if !asJump(err, &j) {
		return err
	}
	if j.kind == exiting || j.kind == returning {
		sh.status = j.n
	}
	return nil
}

// parse reads a text as the shell does. It refuses texts that are long or nested deeply, which
// take the parser's stack.
func (sh *Shell) parse(text []byte, name string) (*syntax.File, error) {
	if len(text) > MaxScript {
		return nil, sh.refuse("the script has more than %d bytes", MaxScript)
	}
	if nested(text) {
		return nil, sh.refuse("the script is nested deeper than %d", maxNesting)
	}
	lang := syntax.LangPOSIX
	if sh.Bash {
		lang = syntax.LangBash
	}
	f, err := syntax.NewParser(syntax.Variant(lang)).Parse(bytes.NewReader(text), name)
	if err != nil {
		return nil, &Error{Text: err.Error()}
	}
	return f, nil
}

// nested reports whether a text may be nested deeper than maxNesting. It does not know quotes, and
// counts what opens and what closes.
func nested(text []byte) bool {
	depth, most := 0, 0
	words := 0
	for i, c := range text {
		switch c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(depth-1, 0)
		case '!', '-', '~', '+':
			if i > 0 && (text[i-1] == c || text[i-1] == ' ') {
				words++
			}
		case '\n':
			words = 0
		}
		most = max(most, depth, words)
	}
	if most > maxNesting {
		return true
	}
	ifs := 0
	for _, f := range bytes.Fields(text) {
		switch string(f) {
		case "if", "while", "until", "for", "case", "then", "do", "&&", "||", "|":
			ifs++
		}
	}
	return ifs > 8*maxNesting
}

// fork returns a subshell.
func (sh *Shell) fork() *Shell {
	sub := *sh
	sub.vars, sub.functions, sub.options = maps.Clone(sh.vars), maps.Clone(sh.functions), maps.Clone(sh.options)
	sub.streams, sub.traps = maps.Clone(sh.streams), map[string]string{}
	sub.locals = nil
	sub.Params = slices.Clone(sh.Params)
	sub.loops = 0
	return &sub
}

func (m *Machine) enter() error {
	limit := m.Limits.Depth
	if limit == 0 {
		limit = maxDepth
	}
	if m.depth++; m.depth > limit {
		m.depth--
		return &Error{Text: fmt.Sprintf("functions and scripts call one another more than %d deep", limit)}
	}
	return nil
}

func (m *Machine) leave() { m.depth-- }

// step counts a statement or a round of a loop.
func (m *Machine) step(ctx context.Context) error {
	limit := m.Limits.Steps
	if limit == 0 {
		limit = maxSteps
	}
	if m.steps++; m.steps > limit {
		return &Error{Text: fmt.Sprintf("the script does not end within %d statements", limit)}
	}
	return ctx.Err()
}

// count counts bytes.
func (m *Machine) count(n int) error {
	limit := m.Limits.Written
	if limit == 0 {
		limit = maxWritten
	}
	if m.written += n; m.written > limit {
		return &Error{Text: fmt.Sprintf("the script writes more than %d MiB", limit>>20)}
	}
	return nil
}

// Serial numbers temporary files: the first is 1.
func (m *Machine) Serial() int {
	m.serial++
	return m.serial
}
