package run

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/image/tree"
)

func checkEcho(_ options, args []string) error {
	_, err := echoed(args, dash)
	return err
}

func echo(r *runner, _ options, args []string, _ func() string) string {
	if !strings.Contains(strings.Join(args, ""), `\`) {
		return must(echoed(args, ""))
	}
	return must(echoed(args, r.shell()))
}

// The shells whose echo is supported. That of dash reads escapes, and that of bash does not.
const (
	dash = "dash"
	bash = "bash"
)

// shell returns the name of the program that carries out RUN, as the files of the stage have it.
func (r *runner) shell() string {
	p := "/bin/sh"
	if len(r.s.Config.Shell) > 0 {
		p = r.s.Config.Shell[0]
	}
	at, err := tree.Follow(r.t, p)
	check(err)
	n, err := r.t.Lstat(at)
	check(err)
	if n == nil && r.t.Open {
		if r.eval.BasesLater || r.s.Toolchain {
			check(errUnknown)
		}
		r.eval.Note(r.location, r.name(), fmt.Errorf("RUN %s: a snapshot writes \\ as Debian's shell does, "+
			"since a stub replaces the base; a release to a registry writes it as the base's shell does", r.name()))
		return dash
	}
	return path.Base(at)
}

// echoed is what echo prints. Where shells differ, it is what the given one prints.
func echoed(args []string, shell string) (string, error) {
	end := "\n"
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	if len(args) > 0 && len(args[0]) > 1 && strings.Trim(args[0], "-neE") == "" && args[0][0] == '-' {
		return "", fmt.Errorf("option %s has another meaning in each shell: use printf", args[0])
	}
	text := strings.Join(args, " ")
	if !strings.Contains(text, `\`) || shell == bash {
		return text + end, nil
	}
	if shell != dash {
		return "", errors.New(`\ has another meaning in the echo of each shell: use printf`)
	}
	return dashEcho(text, end), nil
}

// dashEcho is a text with the escapes that the echo of dash reads.
func dashEcho(text, end string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		switch at := strings.IndexByte(`abfnrtv\`, c); {
		case at >= 0:
			b.WriteByte("\a\b\f\n\r\t\v\\"[at])
		case c == 'c':
			return b.String()
		case c >= '0' && c <= '7':
			used := 1
			most := 3
			if c == '0' {
				most = 4 // the zero and three digits
			}
			for used < most && i+used < len(text) && text[i+used] >= '0' && text[i+used] <= '7' {
				used++
			}
			n := 0
			for _, d := range text[i : i+used] {
				n = n*8 + int(d-'0')
			}
			b.WriteByte(byte(n)) //nolint:gosec // dash cuts it, too
			i += used - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String() + end
}

func checkPrintf(_ options, args []string) error {
	_, err := formatted(args[0], args[1:])
	return err
}

func printf(_ *runner, _ options, args []string, _ func() string) string {
	if len(args) == 0 {
		fail("printf has no format")
	}
	return must(formatted(args[0], args[1:]))
}

// formatted is what printf prints: %s and %%, and the escapes that all printfs have. The format
// serves again while there are arguments.
func formatted(format string, args []string) (string, error) {
	if strings.HasPrefix(format, "-") {
		return "", fmt.Errorf("%s is an option: begin with another character", format)
	}
	var b strings.Builder
	for {
		before := len(args)
		for i := 0; i < len(format); i++ {
			switch c := format[i]; c {
			case '\\':
				text, used, err := escaped(format[i+1:])
				if err != nil {
					return "", err
				}
				b.WriteString(text)
				i += used
			case '%':
				i++
				switch {
				case i < len(format) && format[i] == '%':
					b.WriteByte('%')
				case i < len(format) && format[i] == 's':
					if len(args) > 0 {
						b.WriteString(args[0])
						args = args[1:]
					}
				default:
					return "", fmt.Errorf("the format %q has more than %%s, "+
						"which is all that is supported: write the text itself", format)
				}
			default:
				b.WriteByte(c)
			}
		}
		if b.Len() > tree.MaxSource {
			return "", fmt.Errorf("it prints more than %d bytes: use COPY", tree.MaxSource)
		}
		if len(args) == 0 || len(args) == before {
			return b.String(), nil
		}
	}
}

// escaped reads what follows a backslash, and how long it is.
func escaped(s string) (text string, used int, err error) {
	if s != "" {
		if i := strings.IndexByte(`ntr\"abfv`, s[0]); i >= 0 {
			return "\n\t\r\\\"\a\b\f\v"[i : i+1], 1, nil
		}
	}
	for used < len(s) && used < 3 && s[used] >= '0' && s[used] <= '7' {
		used++
	}
	n, err := strconv.ParseUint(s[:used], 8, 8)
	if err != nil {
		return "", 0, fmt.Errorf(`the escape \%.1s is not known in all shells: write the character`, s)
	}
	return string([]byte{byte(n)}), used, nil
}
