package shell

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The kinds of escapes: those of $'…', of dash's echo and printf %b, and of the format of printf.
const (
	ansi   = iota
	inEcho // \0123, and \c ends all
	inFormat
)

// echo is that of dash, which reads escapes, and of bash, which does with -e.
func echo(_ context.Context, sh *Shell, args []string) error {
	args = args[1:]
	end, read := "\n", !sh.Bash
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if !sh.Bash && args[0] != "-n" || strings.Trim(args[0][1:], "neE") != "" {
			break
		}
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				end = ""
			default:
				read = c == 'e'
			}
		}
		if args = args[1:]; !sh.Bash {
			break
		}
	}
	text := strings.Join(args, " ")
	if read {
		text = escapes(text, inEcho)
		if before, _, cut := strings.Cut(text, stop); cut {
			text, end = before, ""
		}
	}
	sh.status = 0
	_, err := sh.stream(1).Write([]byte(text + end))
	return sh.located(err)
}

// stop is what \c becomes.
const stop = "\x00\x00stop"

// escapes replaces backslash sequences.
func escapes(text string, kind int) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for n := 0; n < len(text); n++ {
		if text[n] != '\\' || n == len(text)-1 {
			b.WriteByte(text[n])
			continue
		}
		n++
		c := text[n]
		if at := strings.IndexByte(`abfnrtv\`, c); at >= 0 {
			b.WriteByte("\a\b\f\n\r\t\v\\"[at])
			continue
		}
		switch {
		case c == 'c' && kind == inEcho:
			b.WriteString(stop)
			return b.String()
		case c >= '0' && c <= '7':
			digits := octal(text[n:], 3+oneIf(kind == inEcho && c == '0'))
			v, _ := strconv.ParseUint(digits, 8, 16)
			b.WriteByte(byte(v)) //nolint:gosec // as the shells do
			n += len(digits) - 1
		case kind == ansi && (c == '\'' || c == '"' || c == '?'):
			b.WriteByte(c)
		case kind == ansi && (c == 'e' || c == 'E'):
			b.WriteByte(0x1b)
		case kind == inFormat && c == '"':
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

func octal(text string, most int) string {
	n := 0
	for n < len(text) && n < most && text[n] >= '0' && text[n] <= '7' {
		n++
	}
	return text[:n]
}

// printfCommand is printf.
func printfCommand(_ context.Context, sh *Shell, args []string) error {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return &failed{2, "printf: usage: printf format [arg ...]"}
	}
	p := &printer{sh: sh, args: args[1:]}
	sh.status = 0
	for {
		before := len(p.args)
		if err := p.format(args[0]); err != nil {
			return err
		}
		if p.ended || len(p.args) == 0 || len(p.args) == before {
			break
		}
		if p.b.Len() > maxWord {
			return sh.refuse("printf prints more than %d MiB", maxWord>>20)
		}
	}
	_, err := sh.stream(1).Write([]byte(p.b.String()))
	return sh.located(err)
}

type printer struct {
	sh    *Shell
	args  []string
	b     strings.Builder
	ended bool
}

func (p *printer) next() string {
	if len(p.args) == 0 {
		return ""
	}
	a := p.args[0]
	p.args = p.args[1:]
	return a
}

func (p *printer) format(f string) error {
	for f != "" && !p.ended {
		n := strings.IndexByte(f, '%')
		if n < 0 {
			p.b.WriteString(escapes(f, inFormat))
			return nil
		}
		p.b.WriteString(escapes(f[:n], inFormat))
		end := n + 1
		for end < len(f) && strings.IndexByte("-+ #0123456789.*", f[end]) >= 0 {
			end++
		}
		if end == len(f) {
			return &failed{2, "printf: missing format character"}
		}
		if err := p.directive(f[n+1:end], f[end]); err != nil {
			return err
		}
		f = f[end+1:]
	}
	return nil
}

// directive prints one argument.
func (p *printer) directive(flags string, verb byte) error {
	if verb == '%' {
		p.b.WriteByte('%')
		return nil
	}
	for strings.Contains(flags, "*") {
		width := p.next()
		if _, err := strconv.Atoi(width); err != nil && width != "" {
			return p.sh.refuse("printf: the width %s is not known here", width)
		}
		flags = strings.Replace(flags, "*", width, 1)
	}
	for _, number := range strings.FieldsFunc(flags, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(number) > 4 {
			return p.sh.refuse("printf: the width %s is not known here", number)
		}
	}
	arg := p.next()
	switch verb {
	case 's':
		fmt.Fprintf(&p.b, "%"+flags+"s", arg)
	case 'b':
		text := escapes(arg, inEcho)
		if before, _, cut := strings.Cut(text, stop); cut {
			text, p.ended = before, true
		}
		fmt.Fprintf(&p.b, "%"+flags+"s", text)
	case 'c':
		if arg != "" {
			arg = arg[:1]
		}
		fmt.Fprintf(&p.b, "%"+flags+"s", arg)
	case 'd', 'i', 'u', 'o', 'x', 'X':
		if verb == 'i' || verb == 'u' {
			verb = 'd'
		}
		fmt.Fprintf(&p.b, "%"+flags+string(verb), p.number(arg))
	default:
		return p.sh.refuse("printf %%%c is not known here", verb)
	}
	return nil
}

// number reads an argument of printf: a number, or 'c for the code of a character.
func (p *printer) number(arg string) int64 {
	if arg == "" {
		return 0
	}
	if arg[0] == '\'' || arg[0] == '"' {
		r, _ := utf8.DecodeRuneInString(arg[1:])
		return int64(r)
	}
	n, err := strconv.ParseInt(arg, 0, 64)
	if err != nil {
		p.sh.complain("printf: " + arg + ": expected numeric value")
		p.sh.status = 1
	}
	return n
}
