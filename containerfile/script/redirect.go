package script

import (
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
			s.add(source, "%s: what a command would report is not known here: leave it out", source)
		case number != "" && number != "1":
			s.add(source, "%s: only the standard output is known here", source)
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
			s.add(source, "%s is not known here: leave it out", source)
		}
	case syntax.Hdoc:
		if c.Input != nil || c.here || number != "" && number != "0" {
			s.add(source, "%s: there is another input already", source)
			return
		}
		c.Input, c.here = &Command{Args: []Word{{Text: "printf"}, {Text: "%s"}, {Text: s.document(r)}}}, true
	default:
		s.add(source, "%s is not known here: write the content with echo or printf", source)
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

// nowhere notes that the output of a command is dropped. It does not go where it went before.
func (s *shell) nowhere(c *Command, source string) {
	if c.Output != nil {
		s.add(source, "%s: the output goes into a file already, which stays empty: leave one out", source)
	}
	c.nowhere = true
}
