package maintainer

import (
	//nolint:gosec // packages have such sums
	//nolint:gosec // packages have such sums

	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
)

// call carries out another command: what env, xargs and find hand on.
func (c *call) call(args []string, in *shell.Stream) (int, error) {
	if in == nil {
		in = c.In
	}
	if len(args) == 0 {
		return 0, nil
	}
	if c.Shell.IsBuiltin(args[0]) {
		sub := c.r.m.New(c.Shell.Name, append([]string{"sh"}, args...), c.Shell.Environ(), in, c.Out, c.Err)
		sub.Dir, sub.Umask = c.Shell.Dir, c.Shell.Umask
		return sub.Script(c.ctx, []byte(`"$@"`))
	}
	return c.r.program(c.ctx, &shell.Call{Shell: c.Shell, Args: args, In: in, Out: c.Out, Err: c.Err})
}

// env calls a command with other variables.
func env(c *call) (int, error) {
	args := c.args
	vars := c.Shell.Environ()
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-i" || args[0] == "-":
			vars = map[string]string{"PATH": "/usr/bin:/bin"}
		case args[0] == "-u" && len(args) > 1:
			delete(vars, args[1])
			args = args[1:]
		default:
			return 0, unknownOption(args[0])
		}
		args = args[1:]
	}
	for len(args) > 0 {
		name, value, ok := strings.Cut(args[0], "=")
		if !ok {
			break
		}
		vars[name] = value
		args = args[1:]
	}
	if len(args) == 0 {
		return 0, errors.New("prints the environment, which is not known here")
	}
	sub := c.r.m.New(c.Shell.Name, append([]string{"sh"}, args...), vars, c.In, c.Out, c.Err)
	sub.Dir, sub.Umask = c.Shell.Dir, c.Shell.Umask
	return sub.Script(c.ctx, []byte(`command "$@"`))
}

// sh is sh -c TEXT, sh FILE and sh with a script that is piped in.
func sh(c *call) (int, error) {
	args := c.args
	options := ""
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		options += args[0][1:]
		args = args[1:]
	}
	var text []byte
	name := "sh"
	switch {
	case strings.Contains(options, "c"):
		if len(args) == 0 {
			return c.usage(2)
		}
		text, args = []byte(args[0]), args[1:]
		if len(args) == 0 {
			args = []string{c.Args[0]}
		}
	case len(args) > 0:
		var there bool
		var err error
		if text, there, err = c.read(args[0]); err != nil {
			return 0, err
		}
		if !there {
			c.Err.Printf("%s: 0: cannot open %s: No such file\n", c.Args[0], args[0])
			return 2, nil
		}
		name = path.Base(args[0])
	default:
		text, args = c.In.All(), []string{c.Args[0]}
	}
	sub := c.r.m.New(name, args, c.Shell.Environ(), c.In, c.Out, c.Err)
	sub.Dir, sub.Umask, sub.Bash = c.Shell.Dir, c.Shell.Umask, path.Base(c.Args[0]) == "bash"
	set := ""
	for _, o := range options {
		switch o {
		case 'c':
		case 'e', 'u', 'x', 'f':
			set += string(o)
		default:
			return 0, unknownOption("-" + string(o))
		}
	}
	if set != "" {
		if _, err := sub.Eval(c.ctx, "set -"+set); err != nil {
			return 0, err
		}
	}
	status, err := sub.Script(c.ctx, text)
	if err != nil {
		return 0, &shell.Error{At: c.Shell.Where() + ": " + c.Args[0], Text: err.Error()}
	}
	return status, nil
}

// xargs calls a command with what is piped in as its arguments.
func xargs(c *call) (int, error) {
	args := c.args
	zero, one := false, 0
	replace, none := "", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		w := args[0]
		args = args[1:]
		switch {
		case w == "-0" || w == "--null":
			zero = true
		case w == "-r" || w == "--no-run-if-empty":
			none = true
		case strings.HasPrefix(w, "-n") && len(w) > 2:
			one, _ = strconv.Atoi(w[2:])
		case w == "-n" && len(args) > 0:
			one, _ = strconv.Atoi(args[0])
			args = args[1:]
		case strings.HasPrefix(w, "-I") && len(w) > 2:
			replace = w[2:]
		case w == "-I" && len(args) > 0:
			replace, args = args[0], args[1:]
		default:
			return 0, unknownOption(w)
		}
	}
	var items []string
	switch text := string(c.In.All()); {
	case zero:
		items = strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
	case replace != "":
		items = lines([]byte(text))
	case strings.ContainsAny(text, `'"\`):
		return 0, errors.New("reads quotes, which is not known here: " + instead)
	default:
		items = strings.Fields(text)
	}
	if len(args) == 0 {
		args = []string{"echo"}
	}
	return c.batches(args, items, one, replace, none)
}

func (c *call) batches(args, items []string, size int, replace string, none bool) (int, error) {
	if len(items) == 0 {
		if none || replace != "" {
			return 0, nil
		}
		return c.call(args, c.r.m.Null())
	}
	if replace != "" {
		size = 1
	}
	if size <= 0 {
		size = len(items)
	}
	result := 0
	for len(items) > 0 {
		if err := c.ctx.Err(); err != nil {
			return 0, err
		}
		part := items[:min(size, len(items))]
		items = items[len(part):]
		var all []string
		for _, a := range args {
			if replace != "" {
				a = strings.ReplaceAll(a, replace, part[0])
			}
			all = append(all, a)
		}
		if replace == "" {
			all = append(all, part...)
		}
		status, err := c.call(all, c.r.m.Null())
		if err != nil {
			return 0, err
		}
		if status != 0 {
			result = 123
		}
	}
	return result, nil
}
