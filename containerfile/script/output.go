package script

import (
	"errors"
	"maps"

	"mvdan.cc/sh/v3/syntax"
)

// output returns what the command of a substitution prints, if that is known: of one command, and
// of those that are piped into it.
func (s *shell) output(p *syntax.CmdSubst) (string, bool) {
	if s.files.Print == nil || len(p.Stmts) != 1 || p.TempFile || p.ReplyVar || s.inside || s.lost {
		return "", false
	}
	before, err := s.before()
	if err != nil {
		return "", false
	}
	inner := *s
	inner.found, inner.commands, inner.prior, inner.inside, inner.tested, inner.into = nil, nil, before, true, 1, nil
	inner.vars = maps.Clone(s.vars)
	ok := inner.statement(p.Stmts[0])
	if inner.lost {
		s.lost = true
		s.found = append(s.found, inner.found...)
	}
	if !ok || len(inner.found) > 0 || inner.ended || len(inner.commands) != 1 {
		return "", false
	}
	c := inner.commands[0]
	if c.Output != nil || c.nowhere {
		return "", false
	}
	text, err := s.files.Print(before, c)
	if err != nil && !errors.Is(err, ErrOutput) {
		s.lose(s.text(p), err)
	}
	return text, err == nil
}
