package script

import (
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Call is a command of PowerShell, which has its parameters by name.
type Call struct {
	Name string
	Args []Arg
}

// Arg is a word of a call: a parameter, such as -Force, or a value, which may be a list.
type Arg struct {
	Param  string // without its dash
	Values []string
}

// PowerShell reads a script of commands with plain arguments, in a row with ; and new lines.
// Preferences may be set: a command that fails is an error in any case.
func PowerShell(source string, env Environment) ([]Command, error) {
	p := &powershell{source: source, env: env}
	for !p.end() {
		p.statement()
		if len(p.found) > 0 {
			return nil, p.err()
		}
	}
	if len(p.commands) > maxCommands {
		p.add("", "it has more than %d commands: use several RUN", maxCommands)
	}
	return p.commands, p.err()
}

type powershell struct {
	refusals
	source   string
	at       int
	env      Environment
	commands []Command
}

func (p *powershell) rest() string { return p.source[p.at:] }

// end skips what separates statements, and reports whether none is left.
func (p *powershell) end() bool {
	p.at += len(p.rest()) - len(strings.TrimLeft(p.rest(), " \t\r\n;"))
	return p.rest() == ""
}

func (p *powershell) blanks() {
	p.at += len(p.rest()) - len(strings.TrimLeft(p.rest(), " \t"))
}

// preferences are the variables that a script may set. They decide what is printed, and whether it
// goes on after an error.
var preferences = []string{
	"$erroractionpreference", "$progresspreference", "$verbosepreference",
	"$warningpreference", "$informationpreference",
}

// What changes nothing: output that is dropped, and questions that are not asked.
var (
	silent  = lazyregexp.New(`^(?i:(\|[ \t]*out-null[ \t]*))(?:[;\r\n]|$)`)
	unasked = lazyregexp.New(`^(?i:(-confirm:\$false))(?:[ \t;\r\n]|$)`)
)

func (p *powershell) statement() {
	for _, name := range preferences {
		if len(p.rest()) < len(name) || !strings.EqualFold(p.rest()[:len(name)], name) {
			continue
		}
		p.at += len(name)
		p.blanks()
		if !strings.HasPrefix(p.rest(), "=") {
			break
		}
		p.at++
		p.blanks()
		if q := p.rest(); q == "" || q[0] != '\'' && q[0] != '"' {
			p.add(name, "%s: write its value in quotes", name)
			return
		}
		p.quoted()
		p.over()
		return
	}
	c := &Call{}
	for len(p.found) == 0 {
		p.blanks()
		q := p.rest()
		switch {
		case q == "" || strings.IndexByte(";\r\n", q[0]) >= 0:
			p.append(c)
			return
		case silent.MatchString(q):
			p.at += len(silent.FindStringSubmatch(q)[1])
			p.append(c)
			return
		case unasked.MatchString(q) && c.Name != "":
			p.at += len(unasked.FindStringSubmatch(q)[1])
		case q[0] == '-' && len(q) > 1 && (q[1]|0x20 >= 'a' && q[1]|0x20 <= 'z') && c.Name != "":
			if w := p.bare(); w != "" {
				c.Args = append(c.Args, Arg{Param: w[1:]})
			}
		default:
			values := p.list()
			switch {
			case len(p.found) > 0:
			case c.Name != "":
				c.Args = append(c.Args, Arg{Values: values})
			case len(values) > 1 || q[0] == '\'' || q[0] == '"':
				p.add(first(q), "%s is no command: write its name without quotes", first(q))
			default:
				c.Name = values[0]
			}
		}
	}
}

// over checks that a statement ends.
func (p *powershell) over() {
	p.blanks()
	if q := p.rest(); q != "" && strings.IndexByte(";\r\n", q[0]) < 0 {
		p.add(first(q), "%s is not known here: write the commands one after the other, with ;", first(q))
	}
}

func (p *powershell) append(c *Call) {
	p.over()
	words := []Word{{Text: c.Name}}
	for _, a := range c.Args {
		if a.Param != "" {
			words = append(words, Word{Text: "-" + a.Param})
		} else {
			words = append(words, Word{Text: strings.Join(a.Values, ",")})
		}
	}
	if c.Name == "" {
		p.add("", "a command is missing")
	}
	p.commands = append(p.commands, Command{Args: words, Call: c})
}

// list reads a value, or several with commas.
func (p *powershell) list() []string {
	var values []string
	for len(p.found) == 0 {
		q := p.rest()
		if q != "" && (q[0] == '\'' || q[0] == '"') {
			values = append(values, p.quoted())
			if q = p.rest(); q != "" && strings.IndexByte(" \t\r\n;,|", q[0]) < 0 {
				p.add(first(q), "%s stands behind a quote: write the whole word in quotes", first(q))
			}
		} else if w := p.bare(); w != "" {
			values = append(values, w)
		} else if len(p.found) == 0 {
			p.add(",", "a value is missing beside a comma")
		}
		p.blanks()
		if !strings.HasPrefix(p.rest(), ",") {
			break
		}
		p.at++
		p.blanks()
	}
	return values
}

// bare reads a word without quotes.
func (p *powershell) bare() string {
	q := p.rest()
	n := strings.IndexAny(q, " \t\r\n;,")
	if n < 0 {
		n = len(q)
	}
	w := q[:n]
	p.at += n
	odd := strings.IndexAny(w, "`'\"(){}[]@|&<>#%~!=\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u2013\u2014\u2015")
	if odd >= 0 || strings.HasPrefix(w, "--") {
		p.add(w, "%s is not known here: commands with plain names and plain arguments are", w)
		return ""
	}
	return p.expanded(w)
}

// quoted reads '…' or "…".
func (p *powershell) quoted() string {
	q := p.rest()
	n := strings.IndexByte(q[1:], q[0])
	if n < 0 {
		p.add(q, "a quote does not end")
		return ""
	}
	text := q[1 : n+1]
	if p.at += n + 2; strings.HasPrefix(p.rest(), q[:1]) {
		p.add(q[:n+2], "a quote in quotes is not known here: leave it out")
		return ""
	}
	if strings.ContainsAny(text, "\u2018\u2019\u201a\u201b\u201c\u201d\u201e") {
		p.add(text, "a typographic quote ends the word in PowerShell: leave it out")
		return ""
	}
	if q[0] == '"' {
		return p.expanded(text)
	}
	return text
}

// expanded replaces $env:NAME, and refuses every other variable.
func (p *powershell) expanded(text string) string {
	if strings.ContainsRune(text, '`') {
		p.add(text, "%s has a backtick, which is not known here", text)
		return ""
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := 0
		if len(after) > 4 && strings.EqualFold(after[:4], "env:") {
			for n = 4; n < len(after) && (after[n] == '_' || name("x"+after[n:n+1])); n++ {
			}
		}
		if n <= 4 || n < len(after) && strings.IndexByte(`\/ `, after[n]) < 0 {
			p.add("$"+first(after), "$%s is not known here: write the value, or $env:NAME", first(after))
			return ""
		}
		value, ok, err := p.env(after[4:n])
		switch {
		case err != nil:
			p.add("$"+after[:n], "%w", err)
			return ""
		case !ok:
			p.add("$"+after[:n], "$%s is known only when the command runs: write the value, or declare it with ENV",
				after[:n])
			return ""
		}
		b.WriteString(value)
		text = after[n:]
	}
}
