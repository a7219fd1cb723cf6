package script

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCommands bounds the commands of one line.
const maxCommands = 1000

type shell struct {
	refusals
	source   string
	env      Environment
	strict   bool // set -u: a variable that is not set is an error
	exit     bool // set -e: a statement that fails ends the script
	files    Files
	bash     bool
	tested   int       // how many statements there are around the current one whose failure only decides
	inside   bool      // a substitution
	nested   bool      // a subshell
	ended    bool      // by exit, or by a failure
	status   bool      // of exit
	failed   bool      // by a failure
	lost     bool      // a question about files had no answer: no other is asked
	into     *Output   // of a group, for the commands in it
	prior    []Command // that come before a substitution
	steps    int
	vars     map[string]string
	exported []string // NAME=value, for all commands that follow
	commands []Command
}

// Options are what a shell is started with.
type Options struct {
	Env    Environment
	Strict bool // set -u: a variable that is not set is an error
	Exit   bool // set -e: a statement that fails ends the script
	Files  Files
	Bash   bool // it is bash, which knows [[
}

// Shell reads a script for the POSIX shell.
func Shell(source string, o Options) ([]Command, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(source), "")
	if err != nil {
		var bad syntax.ParseError
		if errors.As(err, &bad) {
			return nil, &Error{"", errors.New("the shell could not read this line: " + bad.Text)}
		}
		return nil, &Error{"", err}
	}
	s := &shell{
		source: source, env: o.Env, strict: o.Strict, exit: o.Exit, files: o.Files, bash: o.Bash,
		vars: map[string]string{},
	}
	if !s.statements(file.Stmts) && !s.ended && len(file.Stmts) > 0 {
		s.fails(file.Stmts[len(file.Stmts)-1])
	}
	if len(s.commands) > maxCommands {
		s.add("", "it has more than %d commands: use several RUN", maxCommands)
	}
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.commands, nil
}

func (s *shell) text(n syntax.Node) string { return sourceOf(n, s.source) }

func sourceOf(n syntax.Node, source string) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(source) || from > to {
		return ""
	}
	return source[from:to]
}

func (s *shell) binary(st *syntax.Stmt, b *syntax.BinaryCmd) bool {
	switch {
	case len(st.Redirs) > 0:
		s.add(s.text(st.Redirs[0]), "output of more than one command is not redirected here: redirect each")
	case b.Op == syntax.AndStmt, b.Op == syntax.OrStmt:
		return s.row(b)
	case b.Op == syntax.Pipe:
		from, to := s.piped(b.X), s.simple(b.Y)
		if from == nil || to == nil {
			return true
		}
		if from.Output != nil || from.nowhere {
			s.add(s.text(b.X), "the output goes to another place than the pipe: leave that out")
			return true
		}
		if to.here {
			s.add(s.text(b.Y), "it has two inputs, | and <<: leave one out")
			return true
		}
		to.Input = from
		return s.append(to)
	default:
		s.add(b.Op.String(), "%s is not supported", b.Op)
	}
	return true
}

// piped reads what stands before |, which may be a pipe itself.
func (s *shell) piped(st *syntax.Stmt) *Command {
	b, ok := st.Cmd.(*syntax.BinaryCmd)
	if !ok || b.Op != syntax.Pipe || st.Negated || st.Background || len(st.Redirs) > 0 {
		return s.simple(st)
	}
	from, to := s.piped(b.X), s.simple(b.Y)
	if from == nil || to == nil {
		return nil
	}
	if from.Output != nil || from.nowhere || to.here {
		s.add(s.text(b.X), "the output goes to another place than the pipe: leave that out")
		return nil
	}
	to.Input = from
	return to
}

// row reads a && b and a || b. set -e ends the script only where the last command fails.
func (s *shell) row(b *syntax.BinaryCmd) bool {
	before := len(s.found)
	s.tested++
	ok := s.statement(b.X)
	s.tested--
	if len(s.found) > before && b.Op == syntax.OrStmt || s.ended {
		return true // whether the second is wanted is not known
	}
	if ok != (b.Op == syntax.AndStmt) {
		return ok
	}
	ok = s.statement(b.Y)
	if !ok && s.exit && s.tested == 0 && !s.ended && final(b.Y) {
		s.fails(b.Y)
	}
	return ok
}

// append adds a command, unless it is one of the shell's own that need nothing to be done, and
// reports whether it succeeds.
func (s *shell) append(c *Command) bool {
	name := c.Args[0].Text
	if ok, known := s.decide(c); known {
		return ok
	}
	if s.into != nil && c.Output == nil && !c.nowhere {
		if !slices.Contains(printers, name) {
			s.add(name, "%s in a group whose output goes into a file is not supported: redirect each command", name)
			return true
		}
		c.Output = s.into
	}
	alone := c.Input == nil && c.Output == nil
	switch {
	case name == "set" && alone:
		s.set(c)
		return true
	case name == "export" && alone:
		s.export(c)
		return true
	case slices.Contains(builtins, name):
		s.add(name, "%s is a command of the shell that is not supported: write the commands one after the other", name)
		return true
	}
	if len(s.commands) <= maxCommands {
		s.commands = append(s.commands, *c)
	}
	return true
}

// set reads set -e, -x and -u. A failure ends the evaluation with or without -e.
func (s *shell) set(c *Command) {
	if len(s.commands) > 0 {
		s.add("set", "set after other commands is not supported: write it first")
		return
	}
	for i, w := range c.Args[1:] {
		if w.Text == "pipefail" && strings.HasSuffix(c.Args[i].Text, "o") { // no pipe here fails at its begin
			continue
		}
		if len(w.Text) < 2 || w.Text[0] != '-' || strings.Trim(w.Text[1:], "exu") != "" && !pipefail(c.Args[i+1:]) {
			s.add("set", "set %s is not supported: set -e, -x, -u and -o pipefail are", w.Text)
			return
		}
		s.strict = s.strict || strings.Contains(w.Text, "u")
		s.exit = s.exit || strings.Contains(w.Text, "e")
	}
}

// pipefail reports whether words begin with an option that ends in o, and pipefail.
func pipefail(words []Word) bool {
	return len(words) > 1 && words[1].Text == "pipefail" && strings.Trim(words[0].Text[1:], "exu") == "o"
}

// simple reads a command without && and the like, and returns nil if it is refused.
func (s *shell) simple(st *syntax.Stmt) *Command {
	if st.Background {
		s.add(s.text(st), "& is not supported: write the command without it")
		return nil
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if st.Cmd == nil {
		call, ok = &syntax.CallExpr{}, true // a redirection alone
	}
	if !ok {
		s.add(first(s.text(st)),
			"%s is not supported, since no command is run: write the commands one after the other", construct(st.Cmd))
		return nil
	}
	before := len(s.found)
	c := &Command{Env: slices.Concat(s.exported, s.assigned(call.Assigns))}
	double := s.bash && len(call.Args) > 0 && s.text(call.Args[0]) == "[["
	for _, w := range call.Args {
		words := s.wordOf(w, double)
		if len(c.Args) > 0 && c.Args[0].Text == "export" && (len(words) != 1 || words[0].Pattern != "" ||
			strings.Contains(s.text(w), "=~") || strings.Contains(s.text(w), ":~")) {
			s.add(s.text(w), "export %s is more than one word, or has a pattern or ~, "+
				"which shells read in different ways: put the value in quotes", s.text(w))
		}
		c.Args = append(c.Args, words...)
	}
	if len(c.Args) > 0 && len(call.Assigns) > 0 && slices.Contains([]string{":", "export", "set"}, c.Args[0].Text) {
		s.add(s.text(call.Assigns[0]),
			"an assignment before %s stays in some shells only: write it as a command of its own", c.Args[0].Text)
	}
	if len(call.Args) == 0 {
		c.Args = []Word{{Text: ":"}}
		s.keep(c.Env[len(s.exported):])
	}
	for _, r := range st.Redirs {
		s.redirect(c, r)
	}
	if len(s.found) > before {
		return nil
	}
	if len(c.Args) == 0 {
		s.add(s.text(st), "%s is empty: give the variable a value", s.text(st))
		return nil
	}
	return c
}

// construct names a compound command.
func construct(c syntax.Command) string {
	switch c.(type) {
	case *syntax.WhileClause:
		return "a loop"
	case *syntax.Subshell, *syntax.Block:
		return "a group of commands"
	case *syntax.FuncDecl:
		return "a function"
	}
	return "this"
}

func first(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return s
}
