// Package control reads and writes the stanzas of control files as dpkg does: those of a .deb and
// of /var/lib/dpkg/status.
//
// dpkg parses fields that it knows and writes them again in an order and a form of its own; it
// keeps other fields as they are. What dpkg refuses is an error here too.
package control

import (
	"fmt"
	"strings"
)

// Field is a field of a stanza. Value has the lines of the file, without white space around it.
type Field struct{ Name, Value string }

// Stanza is the fields of a stanza in their order.
type Stanza []Field

// Get returns the value of a field, whose name is compared without case; empty if there is none.
func (s Stanza) Get(name string) string {
	for _, f := range s {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Parse calls do for each stanza of a file, with the line that it begins at.
func Parse(text string, do func(line int, s Stanza) error) error {
	p := parser{rest: text, line: 1}
	for {
		s, line, err := p.stanza()
		if err != nil {
			return fmt.Errorf("line %d: %w", p.line, err)
		}
		if s == nil {
			return nil
		}
		if err := do(line, s); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// One parses a file with a single stanza.
func One(text string) (Stanza, error) {
	var one Stanza
	err := Parse(text, func(_ int, s Stanza) error {
		if one != nil {
			return fmt.Errorf("a second stanza, where only one is allowed")
		}
		one = s
		return nil
	})
	if err == nil && one == nil {
		err = fmt.Errorf("it has no stanza")
	}
	return one, err
}

type parser struct {
	rest string
	line int
}

// next cuts the next line off, with its line feed.
func (p *parser) next() (string, error) {
	n := strings.IndexByte(p.rest, '\n')
	if n < 0 {
		return "", fmt.Errorf("the last line has no line feed")
	}
	line := p.rest[:n+1]
	p.rest = p.rest[n+1:]
	p.line++
	return line, nil
}

// stanza returns the next stanza, and nil at the end.
func (p *parser) stanza() (Stanza, int, error) {
	for strings.HasPrefix(p.rest, "\n") {
		p.next() //nolint:errcheck // there is a line feed
	}
	begin := p.line
	var s Stanza
	for p.rest != "" && p.rest[0] != '\n' {
		f, err := p.field()
		if err != nil {
			return nil, 0, err
		}
		for _, other := range s {
			if strings.EqualFold(other.Name, f.Name) {
				return nil, 0, fmt.Errorf("field %s is there twice", f.Name)
			}
		}
		s = append(s, f)
	}
	return s, begin, nil
}

const space = " \t\n\v\f\r"

// field reads a field and the lines that continue it. Such a line begins with white space and has
// something else.
func (p *parser) field() (Field, error) {
	at := p.line
	text, err := p.next()
	if err != nil {
		return Field{}, err
	}
	name, value, ok := strings.Cut(text, ":")
	name = strings.TrimRight(name, space)
	if !ok || name == "" || name[0] == '-' || strings.ContainsAny(name, space) || strings.IndexByte(name, 0x1a) >= 0 {
		p.line = at
		return Field{}, fmt.Errorf("%.60q is not a field", strings.TrimSpace(text))
	}
	if strings.IndexByte(value, 0) >= 0 {
		return Field{}, fmt.Errorf("field %s has a zero byte", name)
	}
	var lines strings.Builder
	lines.WriteString(value)
	for p.rest != "" && p.rest[0] != '\n' && strings.IndexByte(space, p.rest[0]) >= 0 {
		more, err := p.next()
		if err != nil {
			return Field{}, err
		}
		if strings.Trim(more, space) == "" {
			return Field{}, fmt.Errorf("field %s has a blank line", name)
		}
		if strings.IndexByte(more, 0) >= 0 {
			return Field{}, fmt.Errorf("field %s has a zero byte", name)
		}
		lines.WriteString(more)
	}
	return Field{name, strings.Trim(lines.String(), space)}, nil
}
