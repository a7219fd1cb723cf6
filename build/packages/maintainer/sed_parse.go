package maintainer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// sedCommand is one command of a script of sed.
type sedCommand struct {
	from, to *sedAddress
	not      bool
	verb     byte
	text     string // of a, i, c; the label of b, t and :
	old      *regexp.Regexp
	now      string
	all      bool
	print    bool
	nth      int
	set      map[rune]rune // of y
	block    []sedCommand
	inside   bool // of a range
}

// sedAddress is a line number, $ or an expression.
type sedAddress struct {
	line int
	last bool
	re   *regexp.Regexp
}

// sedParser reads a script of sed.
type sedParser struct {
	rest     string
	extended bool
}

func (p *sedParser) bad() error {
	text, _, _ := strings.Cut(p.rest, "\n")
	return fmt.Errorf("the sed command %q is not known here: %s", text, instead)
}

// commands reads commands to the end of the script or of a block.
func (p *sedParser) commands(inBlock bool) ([]sedCommand, error) {
	var all []sedCommand
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n;")
		switch {
		case p.rest == "" && !inBlock:
			return all, nil
		case p.rest == "":
			return nil, p.bad()
		case p.rest[0] == '#':
			_, p.rest, _ = strings.Cut(p.rest, "\n")
			continue
		case p.rest[0] == '}' && inBlock:
			p.rest = p.rest[1:]
			return all, nil
		}
		c, err := p.command()
		if err != nil {
			return nil, err
		}
		if all = append(all, c); len(all) > 1000 {
			return nil, p.bad()
		}
	}
}

func (p *sedParser) command() (c sedCommand, err error) {
	if c.from, err = p.address(); err != nil {
		return c, err
	}
	if c.from != nil && strings.HasPrefix(p.rest, ",") {
		p.rest = p.rest[1:]
		if c.to, err = p.address(); err != nil {
			return c, err
		}
		if c.to == nil {
			return c, p.bad()
		}
	}
	p.rest = strings.TrimLeft(p.rest, " \t")
	if strings.HasPrefix(p.rest, "!") {
		c.not = true
		p.rest = strings.TrimLeft(p.rest[1:], " \t")
	}
	if p.rest == "" {
		return c, p.bad()
	}
	c.verb = p.rest[0]
	switch c.verb {
	case 's':
		return c, p.substitution(&c)
	case 'y':
		return c, p.translation(&c)
	case '{':
		p.rest = p.rest[1:]
		c.block, err = p.commands(true)
		return c, err
	case 'd', 'p', 'q', 'n', 'N', 'D', 'P', 'h', 'H', 'g', 'G', 'x', '=':
		p.rest = p.rest[1:]
		return c, p.end()
	case 'b', 't', ':':
		end := strings.IndexAny(p.rest, ";\n}")
		if end < 0 {
			end = len(p.rest)
		}
		c.text = strings.TrimSpace(p.rest[1:end])
		p.rest = p.rest[end:]
		return c, nil
	case 'a', 'i', 'c':
		p.insertion(&c)
		return c, nil
	}
	return c, p.bad()
}

// end checks that a command ends.
func (p *sedParser) end() error {
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest != "" && strings.IndexByte(";\n}#", p.rest[0]) < 0 {
		return p.bad()
	}
	return nil
}

func (p *sedParser) address() (*sedAddress, error) {
	if p.rest == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	switch c := p.rest[0]; {
	case c == '$':
		p.rest = p.rest[1:]
		return &sedAddress{last: true}, nil
	case c >= '0' && c <= '9':
		n := 0
		for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
			n++
		}
		line, err := strconv.Atoi(p.rest[:n])
		p.rest = p.rest[n:]
		return &sedAddress{line: line}, err
	case c == '/' || c == '\\' && len(p.rest) > 1:
		if c == '\\' {
			p.rest = p.rest[1:]
		}
		text, err := p.delimited(true)
		if err != nil {
			return nil, err
		}
		fold := strings.HasPrefix(p.rest, "I")
		p.rest = strings.TrimPrefix(p.rest, "I")
		re, err := expression(text, p.extended, fold)
		return &sedAddress{re: re}, err
	}
	return nil, nil //nolint:nilnil // there is none
}

// delimited reads what stands between two delimiters, of which the first is at the beginning. The
// second is left out of what is read next, and a delimiter after a backslash is itself.
func (p *sedParser) delimited(pattern bool) (string, error) {
	by := p.rest[0]
	var b strings.Builder
	set := false
	for n := 1; n < len(p.rest); n++ {
		c := p.rest[n]
		switch {
		case c == '\\' && n+1 < len(p.rest):
			n++
			if p.rest[n] != by || pattern && strings.IndexByte(`|(){}+?*.^$[]`, by) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(p.rest[n])
		case pattern && set:
			set = c != ']' || strings.HasSuffix(b.String(), "[") || strings.HasSuffix(b.String(), "[^")
			b.WriteByte(c)
		case pattern && c == '[' && by != '[' && strings.IndexByte(p.rest[n:], ']') >= 0:
			set = true
			b.WriteByte(c)
		case c == by:
			p.rest = p.rest[n+1:]
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	return "", p.bad()
}

// substitution reads s/OLD/NOW/FLAGS.
func (p *sedParser) substitution(c *sedCommand) error {
	whole := *p
	if len(p.rest) < 2 || p.rest[1] == '\\' || p.rest[1] == '\n' {
		return p.bad()
	}
	by := p.rest[1:2]
	p.rest = p.rest[1:]
	old, err := p.delimited(true)
	if err != nil {
		return whole.bad()
	}
	p.rest = by + p.rest
	if c.now, err = p.delimited(false); err != nil {
		return whole.bad()
	}
	fold := false
	c.nth = 1
	for p.rest != "" {
		switch f := p.rest[0]; {
		case f == 'g':
			c.all = true
		case f == 'p':
			c.print = true
		case f == 'I' || f == 'i':
			fold = true
		case f >= '1' && f <= '9':
			c.nth = int(f - '0')
		default:
			if c.old, err = expression(old, p.extended, fold); err != nil {
				return err
			}
			if p.end() != nil {
				return whole.bad()
			}
			return nil
		}
		p.rest = p.rest[1:]
	}
	c.old, err = expression(old, p.extended, fold)
	return err
}

// translation reads y/abc/xyz/.
func (p *sedParser) translation(c *sedCommand) error {
	if len(p.rest) < 2 {
		return p.bad()
	}
	by := p.rest[1:2]
	p.rest = p.rest[1:]
	from, err := p.delimited(false)
	if err != nil {
		return err
	}
	p.rest = by + p.rest
	to, err := p.delimited(false)
	if err != nil {
		return err
	}
	a, b := []rune(from), []rune(to)
	if len(a) != len(b) || strings.Contains(from+to, `\`) {
		return p.bad()
	}
	c.set = map[rune]rune{}
	for n := range a {
		c.set[a[n]] = b[n]
	}
	return p.end()
}

// insertion reads the text of a, i and c.
func (p *sedParser) insertion(c *sedCommand) {
	text := strings.TrimLeft(p.rest[1:], " \t")
	text = strings.TrimPrefix(text, "\\\n")
	text = strings.TrimPrefix(text, "\\")
	end := 0
	var b strings.Builder
	for end < len(text) && text[end] != '\n' {
		if text[end] == '\\' && end+1 < len(text) {
			end++
		}
		b.WriteByte(text[end])
		end++
	}
	c.text, p.rest = b.String(), text[end:]
}
