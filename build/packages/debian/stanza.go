package debian

import (
	"fmt"
	"strings"
)

// Stanza is one paragraph of a control file: a package in an index, an entry of a status file. It
// is a part of the text it was read from, and nothing is copied.
type Stanza struct {
	text string
	line int // of the file, from 1
}

// Line returns the line of the file where the stanza begins.
func (s Stanza) Line() int { return s.line }

// Text returns the stanza as it stands in the file.
func (s Stanza) Text() string { return s.text }

// Field returns the value of a field, and whether the stanza has it. Names of fields are compared
// without case. The lines of a value that continues are returned as they are.
func (s Stanza) Field(name string) (string, bool) {
	for rest := s.text; rest != ""; {
		field, value, next := cutField(rest)
		if strings.EqualFold(field, name) {
			return value, true
		}
		rest = next
	}
	return "", false
}

// get returns the value of a field, or nothing.
func (s Stanza) get(name string) string {
	value, _ := s.Field(name)
	return value
}

// lineOf returns the line of the file that a field begins at.
func (s Stanza) lineOf(name string) int {
	for rest := s.text; rest != ""; {
		field, _, next := cutField(rest)
		if strings.EqualFold(field, name) {
			return s.line + strings.Count(s.text[:len(s.text)-len(rest)], "\n")
		}
		rest = next
	}
	return s.line
}

// cutField returns the first field of a stanza and what comes after it. A line that is not a
// field is returned as a value without a name.
func cutField(text string) (field, value, rest string) {
	end := fieldEnd(text)
	line := text[:end]
	if end < len(text) {
		rest = text[end+1:]
	}
	field, value, ok := strings.Cut(line, ":")
	if !ok || strings.ContainsAny(field, " \t\n") {
		return "", line, rest
	}
	return field, strings.TrimSpace(value), rest
}

// fieldEnd returns the position of the line feed that ends a field, with the lines that continue
// it.
func fieldEnd(text string) int {
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n
		if at+1 >= len(text) || text[at+1] != ' ' && text[at+1] != '\t' {
			return at
		}
		at++
	}
}

// stanzas goes through the paragraphs of a control file. Lines that begin with # are comments if
// comments is set, as in the files that people write.
type stanzas struct {
	rest string
	line int
}

func newStanzas(text string, comments bool) *stanzas {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if comments {
		text = blankComments(text)
	}
	return &stanzas{rest: text, line: 1}
}

// blankComments replaces every comment by a space at the begin of its line, which continues the
// field before it, so that lines keep their numbers.
func blankComments(text string) string {
	lines := strings.Split(text, "\n")
	inside := false // a paragraph has begun
	for n, line := range lines {
		switch {
		case strings.HasPrefix(line, "#") && inside:
			lines[n] = " "
		case strings.HasPrefix(line, "#"):
			lines[n] = ""
		default:
			inside = strings.TrimSpace(line) != ""
		}
	}
	return strings.Join(lines, "\n")
}

// next returns the next paragraph, and false at the end.
func (s *stanzas) next() (Stanza, bool) {
	for s.rest != "" && s.rest[0] == '\n' {
		s.rest = s.rest[1:]
		s.line++
	}
	if s.rest == "" {
		return Stanza{}, false
	}
	end, skip := strings.Index(s.rest, "\n\n"), 1
	if end < 0 {
		end, skip = len(s.rest), 0
	}
	found := Stanza{text: strings.TrimRight(s.rest[:end], "\n"), line: s.line}
	s.line += strings.Count(s.rest[:end], "\n") + skip
	s.rest = s.rest[min(len(s.rest), end+skip):]
	return found, true
}

// check returns an error for a stanza with a line that is neither a field nor continues one.
func (s Stanza) check(file string) error {
	at := s.line
	for rest := s.text; rest != ""; {
		field, value, next := cutField(rest)
		if field == "" && strings.TrimSpace(value) != "" {
			line, _, _ := strings.Cut(value, "\n")
			return fmt.Errorf("%s:%d: %q is not a field: write Name: value", file, at, short(line))
		}
		at += strings.Count(rest[:len(rest)-len(next)], "\n")
		rest = next
	}
	return nil
}

// short returns a text that fits in a message.
func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}
