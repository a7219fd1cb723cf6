package maintainer

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// editor is sed at work on one text.
type editor struct {
	c       *call
	lines   []string
	n       int // lines read
	space   string
	hold    string
	after   []string // what a appends
	out     strings.Builder
	changed bool // for t
	ended   bool // the text of the last line has no new line
	rounds  int
}

func (c *call) edit(commands []sedCommand, text []byte) ([]byte, error) {
	begin(commands)
	e := &editor{c: c, lines: lines(text), ended: len(text) > 0 && text[len(text)-1] != '\n'}
	for e.n < len(e.lines) {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		e.space = e.lines[e.n]
		e.n++
		e.changed = false
		next, err := e.cycle(commands)
		if err != nil {
			return nil, err
		}
		if next != noPrint && !c.has("n") {
			e.print(e.space)
		}
		for _, text := range e.after {
			e.print(text)
		}
		if e.after = nil; next == quitNow {
			break
		}
		if e.out.Len() > tree.MaxText {
			return nil, fmt.Errorf("prints more than %d bytes", tree.MaxText)
		}
	}
	out := e.out.String()
	if e.ended && e.n == len(e.lines) {
		out = strings.TrimSuffix(out, "\n")
	}
	return []byte(out), nil
}

// begin makes ranges ready for another text: 0,/EXPRESSION/ begins before the first line.
func begin(commands []sedCommand) {
	for n := range commands {
		c := &commands[n]
		c.inside = c.to != nil && c.from.re == nil && !c.from.last && c.from.line == 0
		begin(c.block)
	}
}

func (e *editor) print(text string) { e.out.WriteString(text + "\n") }

// cycle carries out the whole script, again where a command branches.
func (e *editor) cycle(commands []sedCommand) (int, error) {
	from := 0
	for {
		next, label, err := e.list(commands[from:])
		if err != nil || next != branch {
			return next, err
		}
		if label == "" {
			return nextCycle, nil
		}
		from = -1
		for n, c := range commands {
			if c.verb == ':' && c.text == label {
				from = n
			}
		}
		if e.rounds++; from < 0 || e.rounds > 1<<20 {
			return 0, errors.New("branches to " + label + ", which is not known here")
		}
	}
}

func (e *editor) list(commands []sedCommand) (int, string, error) {
	for n := range commands {
		c := &commands[n]
		if e.selected(c) == c.not {
			continue
		}
		if c.verb == '{' {
			if next, label, err := e.list(c.block); err != nil || next != goOn {
				return next, label, err
			}
			continue
		}
		if next, err := e.do(c); err != nil || next != goOn {
			return next, c.text, err
		}
	}
	return goOn, "", nil
}

// selected reports whether a command's addresses mean the current line.
func (e *editor) selected(c *sedCommand) bool {
	is := func(a *sedAddress) bool {
		switch {
		case a.re != nil:
			return a.re.MatchString(e.space)
		case a.last:
			return e.n == len(e.lines)
		}
		return a.line == e.n
	}
	switch {
	case c.from == nil:
		return true
	case c.to == nil:
		return is(c.from)
	case c.inside:
		if c.to.line > 0 && e.n > c.to.line {
			c.inside = false
			return is(c.from)
		}
		c.inside = !is(c.to)
		return true
	case is(c.from):
		c.inside = c.to.line == 0 || c.to.line > e.n
		return true
	}
	return false
}

func (e *editor) do(c *sedCommand) (int, error) {
	switch c.verb {
	case 's':
		e.substitute(c)
	case 'y':
		e.space = strings.Map(func(r rune) rune {
			if to, ok := c.set[r]; ok {
				return to
			}
			return r
		}, e.space)
	case 'd':
		return noPrint, nil
	case 'p':
		e.print(e.space)
	case '=':
		e.print(fmt.Sprint(e.n))
	case 'q':
		return quitNow, nil
	case 'h':
		e.hold = e.space
	case 'H':
		e.hold += "\n" + e.space
	case 'g':
		e.space = e.hold
	case 'G':
		e.space += "\n" + e.hold
	case 'x':
		e.space, e.hold = e.hold, e.space
	case 'a':
		e.after = append(e.after, c.text)
	case 'i':
		e.print(c.text)
	case 'c':
		if c.to == nil || !c.inside {
			e.print(c.text)
		}
		return noPrint, nil
	case 'P':
		line, _, _ := strings.Cut(e.space, "\n")
		e.print(line)
	case 'n', 'N':
		return e.nextLine(c.verb), nil
	case 'b':
		return branch, nil
	case 't':
		if e.changed {
			e.changed = false
			return branch, nil
		}
	case ':':
	default:
		return 0, fmt.Errorf("the sed command %c is not known here", c.verb)
	}
	if len(e.space)+len(e.hold) > tree.MaxText {
		return 0, fmt.Errorf("holds more than %d bytes", tree.MaxText)
	}
	return goOn, nil
}

// nextLine reads another line for n and N.
func (e *editor) nextLine(verb byte) int {
	if e.n == len(e.lines) {
		return quitNow
	}
	if verb == 'n' {
		if !e.c.has("n") {
			e.print(e.space)
		}
		e.space = e.lines[e.n]
	} else {
		e.space += "\n" + e.lines[e.n]
	}
	e.n++
	return goOn
}

func (e *editor) substitute(c *sedCommand) {
	var b strings.Builder
	at, hits := 0, 0
	for _, m := range c.old.FindAllStringSubmatchIndex(e.space, -1) {
		if hits++; hits < c.nth || hits > c.nth && !c.all {
			continue
		}
		b.WriteString(e.space[at:m[0]])
		b.WriteString(replacement(c.now, e.space, m))
		at = m[1]
		e.changed = true
	}
	if hits < c.nth || hits == 0 {
		return
	}
	b.WriteString(e.space[at:])
	if e.space = b.String(); c.print {
		e.print(e.space)
	}
}

// replacement returns the text that takes the place of a match.
func replacement(now, text string, m []int) string {
	var b strings.Builder
	change := byte(0)
	write := func(s string) {
		switch change {
		case 'U':
			s = strings.ToUpper(s)
		case 'L':
			s = strings.ToLower(s)
		case 'u', 'l':
			if r, n := utf8.DecodeRuneInString(s); n > 0 {
				up := unicode.ToLower(r)
				if change == 'u' {
					up = unicode.ToUpper(r)
				}
				s, change = string(up)+s[n:], 0
			}
		}
		b.WriteString(s)
	}
	for n := 0; n < len(now); n++ {
		c := now[n]
		switch {
		case c == '&':
			write(text[m[0]:m[1]])
		case c == '\\' && n+1 < len(now):
			n++
			switch d := now[n]; {
			case d >= '0' && d <= '9':
				if k := 2 * int(d-'0'); k+1 < len(m) && m[k] >= 0 {
					write(text[m[k]:m[k+1]])
				}
			case strings.IndexByte("ULulE", d) >= 0:
				change = d
			case d == 'n':
				write("\n")
			case d == 't':
				write("\t")
			default:
				write(string(d))
			}
		default:
			write(string(c))
		}
	}
	return b.String()
}
