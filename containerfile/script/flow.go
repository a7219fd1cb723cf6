package script

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxSteps bounds the statements of one script, those of loops counted each time.
const maxSteps = 10_000

// builtins are commands of shells that change how the rest of the script runs.
var builtins = []string{
	".", "alias", "break", "command", "continue", "declare", "eval", "exec", "let", "local", "mapfile", "popd", "pushd",
	"read", "readonly", "return", "shift", "shopt", "source", "times",
	"trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
}

// statements reads statements one after the other, and returns whether the last one succeeds. Of a
// file command that is taken for granted: one that fails is an error when it is carried out.
func (s *shell) statements(list []*syntax.Stmt) bool {
	ok := true
	for _, st := range list {
		if s.ended || len(s.found) > 0 && s.steps > maxSteps {
			return ok
		}
		ok = s.statement(st)
		if !ok && s.exit && s.tested == 0 && !s.ended && final(st) {
			s.fails(st)
		}
	}
	return ok
}

// final reports whether set -e ends a script after a statement that fails: not after one that is
// negated. Of a row with && it depends on which command failed: see and.
func final(st *syntax.Stmt) bool {
	b, ok := st.Cmd.(*syntax.BinaryCmd)
	switch st.Cmd.(type) {
	case *syntax.CallExpr, *syntax.Subshell:
		return !st.Negated
	}
	return !st.Negated && ok && b.Op == syntax.Pipe
}

func (s *shell) fails(st syntax.Node) {
	s.ended, s.failed = true, true
	if text := strings.TrimRight(s.text(st), "; \n"); !s.lost {
		s.add(first(text), "%s ends the line with an error, and so the build", text)
	}
}

func (s *shell) statement(st *syntax.Stmt) (ok bool) {
	if s.steps++; s.steps == maxSteps {
		s.add("", "it has more than %d steps: use several RUN", maxSteps)
	}
	if s.ended || s.steps >= maxSteps {
		return true
	}
	if st.Background || st.Coprocess || st.Disown {
		s.add("&", "& starts a command in the background: write &&")
		return true
	}
	if st.Negated {
		s.tested++
		defer func() { s.tested--; ok = !ok }()
	}
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return s.binary(st, c)
	case *syntax.IfClause, *syntax.CaseClause, *syntax.ForClause, *syntax.Block, *syntax.Subshell:
		if len(st.Redirs) > 0 {
			return s.redirected(st)
		}
		return s.compound(st.Cmd)
	}
	c := s.simple(st)
	if c == nil {
		return true
	}
	return s.append(c)
}

func (s *shell) compound(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.IfClause:
		return s.ifClause(c)
	case *syntax.CaseClause:
		return s.caseClause(c)
	case *syntax.ForClause:
		return s.forClause(c)
	case *syntax.Block:
		return s.statements(c.Stmts)
	case *syntax.Subshell:
		return s.subshell(c)
	}
	return true
}

// condition reads what decides: a failure in it ends nothing.
func (s *shell) condition(list []*syntax.Stmt) bool {
	s.tested++
	defer func() { s.tested-- }()
	return s.statements(list)
}

func (s *shell) ifClause(c *syntax.IfClause) bool {
	for ; c != nil; c = c.Else {
		before := len(s.found)
		if len(c.Cond) == 0 || s.condition(c.Cond) {
			if len(s.found) > before || s.lost { // which branch it is, is not known
				return true
			}
			return s.statements(c.Then)
		}
	}
	return true
}

func (s *shell) caseClause(c *syntax.CaseClause) bool {
	before := len(s.found)
	word := s.whole(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			matched, why := s.matches(p, word)
			switch {
			case why != "":
				s.add(s.text(p), "%s: %s", s.text(p), why)
				return true
			case len(s.found) > before:
				return true
			case matched && item.Op != syntax.Break:
				s.add(item.Op.String(), "%s is known to some shells only: write ;;", item.Op)
				return true
			case matched:
				return s.statements(item.Stmts)
			}
		}
	}
	return true
}

// whole expands a word that stays one.
func (s *shell) whole(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	if source := s.text(w); strings.HasPrefix(source, "~") {
		s.add(source, "%s: ~ is known only when the command runs: write the path", source)
	}
	var f fields
	for _, part := range w.Parts {
		s.part(&f, part, false, true)
	}
	return f.text()
}

// matches reports whether a pattern of case matches a word. Unlike in the name of a file, * matches
// a slash, too.
func (s *shell) matches(p *syntax.Word, word string) (matched bool, why string) {
	var f fields
	for _, part := range p.Parts {
		if v, ok := part.(*syntax.ParamExp); ok {
			return false, "a variable in a pattern is not supported: write it in quotes, or its value (" +
				s.text(v) + ")"
		}
		s.part(&f, part, false, false)
	}
	f.end()
	if len(f.done) == 0 {
		return word == "", ""
	}
	one, why := finish(f.done[0])
	switch {
	case why != "":
		return false, why
	case len(f.done) > 1:
		return false, "it is more than one word"
	case one.Pattern == "":
		return one.Text == word, ""
	}
	// package path has no * that matches a slash
	matched, err := path.Match(strings.ReplaceAll(one.Pattern, "/", "\x01"), strings.ReplaceAll(word, "/", "\x01"))
	if err != nil {
		return false, err.Error()
	}
	return matched, ""
}

func (s *shell) forClause(c *syntax.ForClause) bool {
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok || !loop.InPos.IsValid() || c.Select {
		s.add("for", "for is supported with a list of words only: write for x in a b c")
		return true
	}
	before := len(s.found)
	var words []string
	for _, w := range loop.Items {
		for _, w := range s.word(w) {
			words = append(words, s.names(w)...)
		}
	}
	ok = true
	for _, w := range words {
		if len(s.found) > before || s.ended {
			return true
		}
		s.assign(loop.Name.Value, w)
		s.keep([]string{loop.Name.Value + "=" + w})
		ok = s.statements(c.Do)
	}
	return ok
}
