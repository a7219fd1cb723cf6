package script

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxWord bounds a word after its expansion, in bytes.
const maxWord = 1 << 20

// char is one byte of a word; quoted ones are no wildcards.
type char struct {
	b      byte
	quoted bool
}

// fields are the words that one word of the source becomes.
type fields struct {
	done [][]char
	cur  []char
	some bool // the current one counts although it may be empty
}

func (f *fields) add(text string, quoted bool) {
	for i := range len(text) {
		f.cur = append(f.cur, char{text[i], quoted})
	}
	f.some = f.some || quoted || text != ""
}

// split adds the value of a variable outside of quotes, which may be several words.
func (f *fields) split(value string) {
	for i := range len(value) {
		if strings.IndexByte(" \t\n", value[i]) >= 0 {
			f.end()
			continue
		}
		f.add(value[i:i+1], false)
	}
}

func (f *fields) end() {
	if f.some {
		f.done = append(f.done, f.cur)
	}
	f.cur, f.some = nil, false
}

// runtime are variables that have a value only when a shell runs.
var runtime = []string{"HOME", "PWD", "OLDPWD", "HOSTNAME", "SHELL", "USER", "LOGNAME", "SHLVL", "PPID", "IFS", "OPTIND", "PS1", "PS2", "PS4", "UID", "EUID", "RANDOM", "LINENO", "_", "TERM"}

// word expands one word of the source into the words that it becomes.
func (s *shell) word(w *syntax.Word) []Word {
	var f fields
	source := s.text(w)
	if strings.HasPrefix(source, "~") {
		s.add(source, "%s: ~ is known only when the command runs: write the path", source)
		return nil
	}
	for _, part := range w.Parts {
		s.part(&f, part, false)
	}
	f.end()
	var words []Word
	for _, chars := range f.done {
		one, why := finish(chars)
		if why != "" {
			s.add(source, "%s: %s", source, why)
			return nil
		}
		words = append(words, one)
	}
	return words
}

func (s *shell) part(f *fields, part syntax.WordPart, quoted bool) {
	if len(f.cur) > maxWord {
		s.add("", "a word has more than %d bytes", maxWord)
		return
	}
	switch p := part.(type) {
	case *syntax.Lit:
		literal(f, p.Value, quoted)
	case *syntax.SglQuoted:
		if p.Dollar {
			s.add(s.text(p), "%s: $'…' has another meaning in each shell", s.text(p))
			return
		}
		f.add(p.Value, true)
	case *syntax.DblQuoted:
		if p.Dollar {
			s.add(s.text(p), `%s: $"…" has another meaning in each shell`, s.text(p))
			return
		}
		f.add("", true)
		for _, inner := range p.Parts {
			s.part(f, inner, true)
		}
	case *syntax.ParamExp:
		s.variable(f, p, quoted)
	case *syntax.CmdSubst:
		s.add(s.text(p), "%s needs the output of a command, and none is run: write the value, or use ARG", s.text(p))
	default:
		s.add(s.text(p), "%s is not known here: write the value", s.text(p))
	}
}

// literal adds text of the source, with its backslashes.
func literal(f *fields, text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\' || i+1 == len(text):
			f.add(text[i:i+1], quoted)
		case text[i+1] == '\n':
			i++
		case quoted && strings.IndexByte("$`\"\\", text[i+1]) < 0:
			f.add(`\`, true)
		default:
			i++
			f.add(text[i:i+1], true)
		}
	}
}

// variable expands $x, ${x} and ${x:-word} with its kin.
func (s *shell) variable(f *fields, p *syntax.ParamExp, quoted bool) {
	source := s.text(p)
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || !name(p.Param.Value) {
		s.add(source, "%s is not known here: write the value", source)
		return
	}
	value, ok := s.env(p.Param.Value)
	if !ok && slices.Contains(runtime, p.Param.Value) {
		s.add(source, "%s is known only when the command runs: write the value", source)
		return
	}
	if p.Exp != nil {
		var instead bool
		switch p.Exp.Op {
		case syntax.DefaultUnset:
			instead = !ok
		case syntax.DefaultUnsetOrNull:
			instead = value == ""
		case syntax.AlternateUnset:
			instead = ok
		case syntax.AlternateUnsetOrNull:
			instead = value != ""
		default:
			s.add(source, "%s is not known here: write the value", source)
			return
		}
		alternate := p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull
		if instead && p.Exp.Word != nil {
			for _, part := range p.Exp.Word.Parts {
				if l, ok := part.(*syntax.Lit); ok && !quoted && strings.ContainsAny(l.Value, " \t\n") {
					s.add(source, "%s: more than one word outside of quotes: put it in quotes", source)
					return
				}
				s.part(f, part, quoted)
			}
		}
		if instead || alternate {
			return
		}
	} else if !ok && s.strict {
		s.add(source, "%s is not set, and set -u makes that an error: declare it with ARG or ENV", source)
		return
	}
	if quoted {
		f.add(value, true)
		return
	}
	f.split(value)
}

func name(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if s[i] != '_' && (c < 'a' || c > 'z') && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// finish makes a word of its characters, or returns why that has no one meaning.
func finish(chars []char) (w Word, why string) {
	var text, pattern strings.Builder
	wild, braces := false, 0
	for i, c := range chars {
		text.WriteByte(c.b)
		special := strings.IndexByte(`*?[]\`, c.b) >= 0
		switch {
		case c.quoted && special:
			pattern.WriteByte('\\')
		case c.quoted:
		case c.b == '*' || c.b == '?':
			wild = true
		case c.b == '[' && !slices.Contains(chars[i:], char{']', false}):
			pattern.WriteByte('\\')
		case c.b == '[':
			if i+1 < len(chars) && strings.IndexByte("!^:", chars[i+1].b) >= 0 {
				return w, "a pattern with [ has another meaning in each shell: name the files, or use *"
			}
			wild = true
		case c.b == '\\':
			pattern.WriteByte('\\')
		case c.b == '{':
			braces = 1
		case braces == 1 && (c.b == ',' || c.b == '.' && i > 0 && chars[i-1].b == '.'):
			braces = 2
		case braces == 2 && c.b == '}':
			return w, "{…} is a list for bash and a plain name for other shells: write each word"
		}
		pattern.WriteByte(c.b)
	}
	w.Text = text.String()
	if wild {
		w.Pattern = pattern.String()
	}
	return w, ""
}
