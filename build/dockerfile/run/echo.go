package run

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

func checkEcho(_ options, args []string) error {
	_, err := echoed(args)
	return err
}

func echo(_ *runner, _ options, args []string, _ func() string) string { return must(echoed(args)) }

// echoed is what echo prints, where all shells agree on it.
func echoed(args []string) (string, error) {
	end := "\n"
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	if len(args) > 0 && len(args[0]) > 1 && strings.Trim(args[0], "-neE") == "" && args[0][0] == '-' {
		return "", fmt.Errorf("option %s has another meaning in each shell: use printf", args[0])
	}
	text := strings.Join(args, " ")
	if strings.Contains(text, `\`) {
		return "", errors.New(`\ has another meaning in the echo of each shell: use printf`)
	}
	return text + end, nil
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
						"which is all that is known here: write the text itself", format)
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
