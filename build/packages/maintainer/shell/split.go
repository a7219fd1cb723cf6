package shell

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// field is one argument that is being put together.
type field struct {
	text, pattern strings.Builder
	is            bool // there is one, even if it is empty
	glob          bool
}

// splitter divides pieces into fields.
type splitter struct {
	sh     *Shell
	white  string // the white space in IFS
	other  string // what else is in IFS
	f      *field
	after  bool // white space has just ended a field
	fields []*field
}

func (s *splitter) flush(empty bool) {
	if s.f.is || empty {
		s.fields = append(s.fields, s.f)
	}
	s.f = &field{}
}

// separate divides the pieces of a word into fields, and expands patterns among them to the names
// of files.
func (sh *Shell) separate(ctx context.Context, all []string, pieces []piece) ([]string, error) {
	ifs := " \t\n"
	if v := sh.vars["IFS"]; v.set {
		ifs = v.text
	}
	s := &splitter{sh: sh, f: &field{}}
	for _, c := range ifs {
		if c == ' ' || c == '\t' || c == '\n' {
			s.white += string(c)
		} else {
			s.other += string(c)
		}
	}
	size := 0
	for _, p := range pieces {
		size += len(p.text)
		s.add(p)
	}
	if size > maxWord {
		return nil, sh.refuse("a word gets more than %d MiB", maxWord>>20)
	}
	if err := sh.count(size); err != nil {
		return nil, sh.located(err)
	}
	s.flush(false)
	for _, f := range s.fields {
		if f.glob && !sh.options["noglob"] {
			names, err := sh.glob(ctx, f.pattern.String())
			if err != nil {
				return nil, err
			}
			if len(names) > 0 {
				all = append(all, names...)
				continue
			}
		}
		all = append(all, f.text.String())
	}
	return all, nil
}

func (s *splitter) add(p piece) {
	if p.ends {
		s.flush(false)
	}
	if p.quoted {
		s.f.is, s.after = true, false
		s.f.text.WriteString(p.text)
		s.f.pattern.WriteString(pattern.QuoteMeta(p.text, 0))
		return
	}
	if !p.split {
		s.plain(p.text)
		return
	}
	start := 0
	for n := range len(p.text) {
		c := p.text[n]
		white := strings.IndexByte(s.white, c) >= 0
		if !white && strings.IndexByte(s.other, c) < 0 {
			continue
		}
		s.plain(p.text[start:n])
		start = n + 1
		switch {
		case white && s.f.is:
			s.flush(false)
			s.after = true
		case white:
		case s.after && !s.f.is:
			s.after = false
		default:
			s.flush(true)
			s.after = false
		}
	}
	s.plain(p.text[start:])
}

func (s *splitter) plain(text string) {
	if text == "" {
		return
	}
	s.f.is, s.after = true, false
	s.f.text.WriteString(text)
	s.f.pattern.WriteString(text)
	s.f.glob = s.f.glob || pattern.HasMeta(text, 0)
}

// braces returns the words that {a,b} makes of one in bash.
func braces(w *syntax.Word) []*syntax.Word {
	c := *w
	if !syntax.SplitBraces(&c) {
		return []*syntax.Word{w}
	}
	return expand.Braces(&c)
}
