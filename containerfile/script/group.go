package script

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// printers are commands that may stand in a group whose output goes into a file.
var printers = []string{"echo", "printf", "cat", "true", ":"}

// subshell reads ( … ). Of what it sets, nothing stays but the files.
func (s *shell) subshell(c *syntax.Subshell) bool {
	group := func(n int, name string) {
		s.commands = append(s.commands, Command{Args: []Word{{Text: name}}, Group: n})
	}
	group(1, "(")
	inner := *s
	inner.nested = true
	inner.vars, inner.exported = maps.Clone(s.vars), slices.Clone(s.exported)
	ok := inner.statements(c.Stmts)
	if inner.ended {
		ok = inner.status
	}
	s.ended = inner.failed
	s.found, s.commands, s.steps, s.lost, s.failed = inner.found, inner.commands, inner.steps, inner.lost, inner.failed
	group(-1, ")")
	return ok
}

// redirected reads a compound command whose output goes into a file. The file is made before, and
// each command adds to it.
func (s *shell) redirected(st *syntax.Stmt) bool {
	before := len(s.found)
	c := &Command{Args: []Word{{Text: ":"}}, Env: slices.Clone(s.exported)}
	for _, r := range st.Redirs {
		s.redirect(c, r)
	}
	if c.Input != nil {
		s.add(s.text(st.Redirs[0]), "the input of more than one command is not known here: write it for each")
	}
	if len(s.found) > before {
		return true
	}
	if c.nowhere || c.Output == nil { // what is printed is of no interest
		return s.compound(st.Cmd)
	}
	s.append(c)
	defer func(outer *Output) { s.into = outer }(s.into)
	s.into = &Output{File: c.Output.File, Append: true}
	return s.compound(st.Cmd)
}
