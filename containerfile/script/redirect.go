package script

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect reads one redirection. Error output, and what goes to /dev/null, is of no interest.
func (s *shell) redirect(c *Command, r *syntax.Redirect) {
	source := s.text(r)
	number := ""
	if r.N != nil {
		number = r.N.Value
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut:
		files := s.word(r.Word)
		switch {
		case len(files) != 1 || files[0].Pattern != "":
			s.add(source, "%s is not one file", source)
		case files[0].Text == "/dev/null" && number != "" && number != "1":
		case files[0].Text == "/dev/null":
			s.nowhere(c, source)
		case number == "2":
			s.add(source, "%s: what a command would report is not supported: leave it out", source)
		case number != "" && number != "1":
			s.add(source, "%s: only the standard output is supported", source)
		case c.Output != nil:
			s.add(source, "%s: the output goes into another file already", source)
		default:
			c.Output, c.nowhere = &Output{File: files[0], Append: r.Op == syntax.AppOut}, false
		}
	case syntax.DplOut:
		switch source {
		case "2>&1":
		case ">&2", "1>&2":
			s.nowhere(c, source)
		default:
			s.add(source, "%s is not supported: leave it out", source)
		}
	case syntax.Hdoc:
		if c.Input != nil || c.here || number != "" && number != "0" {
			s.add(source, "%s: there is another input already", source)
			return
		}
		c.Input, c.here = &Command{Args: []Word{{Text: "printf"}, {Text: "%s"}, {Text: s.document(r)}}}, true
	default:
		s.add(source, "%s is not supported: write the content with echo or printf", source)
	}
}

// document returns the text behind <<.
func (s *shell) document(r *syntax.Redirect) string {
	var f fields
	if r.Hdoc == nil {
		return ""
	}
	literally := slices.ContainsFunc(r.Word.Parts, func(p syntax.WordPart) bool {
		l, ok := p.(*syntax.Lit)
		return !ok || strings.Contains(l.Value, "\\")
	})
	for _, part := range r.Hdoc.Parts {
		l, ok := part.(*syntax.Lit)
		switch {
		case ok && literally:
			f.add(l.Value, true)
		case ok:
			for i := 0; i < len(l.Value); i++ {
				if l.Value[i] == '\\' && i+1 < len(l.Value) && strings.IndexByte("$`\\\n", l.Value[i+1]) >= 0 {
					if i++; l.Value[i] == '\n' {
						continue
					}
				}
				f.add(l.Value[i:i+1], true)
			}
		default:
			s.part(&f, part, true, true)
		}
	}
	return f.text()
}

// nowhere drops the output of a command, which no longer goes where it went before.
func (s *shell) nowhere(c *Command, source string) {
	if c.Output != nil {
		s.add(source, "%s: the output goes into a file already, which stays empty: leave one out", source)
	}
	c.nowhere = true
}

// printers are the commands that a group may have whose output goes into a file.
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
		s.add(s.text(st.Redirs[0]), "the input of more than one command is not supported: write it for each")
	}
	if len(s.found) > before {
		return true
	}
	if c.nowhere || c.Output == nil { // the output goes nowhere
		return s.compound(st.Cmd)
	}
	s.append(c)
	defer func(outer *Output) { s.into = outer }(s.into)
	s.into = &Output{File: c.Output.File, Append: true}
	return s.compound(st.Cmd)
}

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
