package script

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// harmless are commands that change no file which a later $(…) could read.
var harmless = []string{":", "true", "mkdir"}

// output returns what the command of a substitution prints, if that is known: of one command, and
// of those that are piped into it. A file that it reads must be as it was before the line.
func (s *shell) output(p *syntax.CmdSubst) (string, bool) {
	if s.print == nil || len(p.Stmts) != 1 || p.TempFile || p.ReplyVar || s.inside {
		return "", false
	}
	for _, c := range s.commands {
		if !slices.Contains(harmless, c.Args[0].Text) && (c.Output != nil || c.Args[0].Text != "echo" && c.Args[0].Text != "printf") {
			return "", false
		}
	}
	inner := *s
	inner.found, inner.commands, inner.inside, inner.tested = nil, nil, true, 1
	inner.vars = map[string]string{}
	for k, v := range s.vars {
		inner.vars[k] = v
	}
	if ok := inner.statement(p.Stmts[0]); !ok || len(inner.found) > 0 || inner.ended || len(inner.commands) != 1 {
		return "", false
	}
	c := inner.commands[0]
	if c.Output != nil || c.nowhere {
		return "", false
	}
	text, err := s.print(c)
	return text, err == nil
}
