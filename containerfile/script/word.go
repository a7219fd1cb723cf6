package script

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxWord bounds a word after its expansion, in bytes.
const maxWord = 1 << 20

// char is one byte of a word; quoted ones are not wildcards.
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

// text returns all that was added, as one.
func (f *fields) text() string {
	var b strings.Builder
	for _, c := range f.cur {
		b.WriteByte(c.b)
	}
	return b.String()
}

// runtime are variables that have a value only when a shell runs.
var runtime = []string{
	"HOME", "PWD", "OLDPWD", "HOSTNAME", "SHELL", "USER", "LOGNAME", "SHLVL",
	"PPID", "IFS", "OPTIND", "PS1", "PS2", "PS4", "UID", "EUID", "RANDOM", "LINENO", "_", "TERM",
}

// word expands one word of the source into the words that it becomes.
func (s *shell) word(w *syntax.Word) []Word {
	var f fields
	source := s.text(w)
	if strings.HasPrefix(source, "~") {
		s.add(source, "%s: ~ is known only when the command runs: write the path", source)
		return nil
	}
	for _, part := range w.Parts {
		s.part(&f, part, false, false)
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

// wordOf is word, or for [[ the word that stays one, whatever is in its variables.
func (s *shell) wordOf(w *syntax.Word, double bool) []Word {
	if !double || s.text(w) == "[[" {
		return s.word(w)
	}
	return []Word{{Text: s.whole(w)}}
}

// part expands a part of a word. whole means that the word stays one, as in an assignment.
func (s *shell) part(f *fields, part syntax.WordPart, quoted, whole bool) {
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
			s.part(f, inner, true, whole)
		}
	case *syntax.ParamExp:
		s.variable(f, p, quoted, whole)
	case *syntax.CmdSubst:
		s.substitution(f, p, quoted, whole)
	default:
		s.add(s.text(p), "%s is not supported: write the value", s.text(p))
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
