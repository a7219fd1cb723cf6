package run

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

func nothing(r *runner, _ options, _ []string) error { return r.print("") }

// cd changes the working directory as shells do: ".." takes away the name before it, even if that
// is a link.
func cd(r *runner, _ options, args []string) error {
	name := args[0]
	s, err := r.spot(name, true)
	if r.s.Toolchain && errors.Is(err, errUnknown) {
		r.dir, r.logical = joined(r.dir, name), "" // it is there, or nothing after it is done
		return nil
	}
	if err != nil {
		return err
	}
	logical := path.Clean(name)
	if !path.IsAbs(logical) {
		if r.logical == "" && slices.Contains(strings.Split(name, "/"), "..") {
			return fmt.Errorf("%s is not known here, since WORKDIR leads through a link: write the full path", name)
		}
		logical = path.Join(r.logical, name)
	}
	if r.logical != "" || path.IsAbs(name) {
		if s, err = r.spot(logical, true); err != nil {
			return err
		}
		r.logical = logical
	}
	if name == "-" || s.n.Kind != layer.Dir {
		return fmt.Errorf("%s is not a directory", name)
	}
	r.dir = s.p
	return nil
}

func checkEcho(_ options, args []string) error {
	_, err := echoed(args)
	return err
}

func checkPrintf(_ options, args []string) error {
	_, err := printed(args[0], args[1:])
	return err
}

func echo(r *runner, _ options, args []string) error {
	text, err := echoed(args)
	if err != nil {
		return err
	}
	return r.print(text)
}

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

func printf(r *runner, _ options, args []string) error {
	text, err := printed(args[0], args[1:])
	if err != nil {
		return err
	}
	return r.print(text)
}

// printed is what printf prints: %s and %%, and the escapes that all printfs have. The format
// serves again while there are arguments.
func printed(format string, args []string) (string, error) {
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
					return "", fmt.Errorf("the format %q has more than %%s, which is all that is known here: write the text itself", format)
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

// print writes the output of the current command into its file, if it has one.
func (r *runner) print(text string) error {
	out := r.commands[r.at].Output
	if out == nil {
		return nil
	}
	s, err := r.find(out.File.Text, true)
	switch {
	case err != nil:
		return err
	case s.slash || s.n != nil && s.n.Kind == layer.Dir:
		return fmt.Errorf("%s is a directory", out.File.Text)
	case s.n == nil && out.Append && r.unknown(s.p):
		return fmt.Errorf("%s: %w", out.File.Text, errUnknown)
	case s.n == nil:
		return r.make(s.p, file(0o644, []byte(text)))
	case s.n.Odd != "":
		return fmt.Errorf("%s is %s, which a layer cannot contain here", out.File.Text, s.n.Odd)
	}
	k, old := *s.n, s.n
	k.Origin, k.Made = "", nil
	k.Content = func() (layer.Content, error) {
		if !out.Append {
			return layer.Bytes([]byte(text)), nil
		}
		return appended(old, text)
	}
	return r.t.Set(s.p, &k)
}

// maxAppended bounds a file that something is appended to, in bytes.
const maxAppended = 16 << 20

func appended(n *tree.Node, text string) (layer.Content, error) {
	c, err := n.Content()
	if err != nil {
		return c, err
	}
	if c.Size > maxAppended {
		return c, fmt.Errorf("text is appended to a file of more than %d bytes: COPY the whole", maxAppended)
	}
	f, err := c.Open()
	if err != nil {
		return c, err
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	return layer.Bytes(append(all, text...)), err
}
