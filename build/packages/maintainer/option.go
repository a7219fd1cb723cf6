package maintainer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
)

// row is a command that scripts may call.
type row struct {
	// letters are its options as for getopt: those before a colon have a value, and those before a
	// question mark may have one in the same word.
	letters string
	// long has the long options, with the letter of each: mode=m. One without a letter and with a
	// value ends in a colon.
	long  string
	least int  // how many operands it needs
	plain bool // all words are operands: it has no options
	// essential programs are there for every script, as Policy has it; others only if the tree has
	// them.
	essential bool
	anywhere  bool // it is known in directories of its own, too
	run       func(c *call) (int, error)
}

// call is the call of a command, with its options.
type call struct {
	*shell.Call
	r    *run
	ctx  context.Context //nolint:containedctx // it lives as long as the call
	o    map[string][]string
	args []string
}

// command reads the options of a command and carries it out.
func (r *run) command(ctx context.Context, sc *shell.Call, k row) (int, error) {
	c := &call{Call: sc, r: r, ctx: ctx, o: map[string][]string{}}
	if k.plain {
		c.args = sc.Args[1:]
	} else if err := k.options(c, sc.Args[1:]); err != nil {
		return 0, err
	}
	if len(c.args) < k.least {
		return c.fail("missing operand")
	}
	return k.run(c)
}

// options separates options from operands.
func (k row) options(c *call, words []string) error {
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		switch {
		case w == "--":
			c.args = append(c.args, words...)
			return nil
		case strings.HasPrefix(w, "--"):
			used, err := k.word(c, w, words)
			if err != nil {
				return err
			}
			words = words[used:]
		case len(w) > 1 && w[0] == '-':
			used, err := k.cluster(c, w, words)
			if err != nil {
				return err
			}
			words = words[used:]
		default:
			c.args = append(c.args, w)
		}
	}
	return nil
}

// word reads --name, --name=value and --name value.
func (k row) word(c *call, w string, next []string) (int, error) {
	name, value, has := strings.Cut(w[2:], "=")
	name = k.complete(name)
	for _, option := range strings.Fields(k.long) {
		long, key, ok := strings.Cut(option, "=")
		valued := strings.HasSuffix(long, ":")
		if long = strings.TrimSuffix(long, ":"); long != name {
			continue
		}
		if !ok {
			key = long
		} else {
			valued = strings.Contains(k.letters, key+":")
		}
		switch {
		case has && !valued:
			return 0, unknownOption(w)
		case has || !valued:
			c.o[key] = append(c.o[key], value)
			return 0, nil
		case len(next) == 0:
			return 0, fmt.Errorf("option %s has no value", w)
		}
		c.o[key] = append(c.o[key], next[0])
		return 1, nil
	}
	return 0, unknownOption(w)
}

// complete returns the long option that a name begins, if there is only one.
func (k row) complete(name string) string {
	found := ""
	for _, option := range strings.Fields(k.long) {
		long, _, _ := strings.Cut(option, "=")
		switch long = strings.TrimSuffix(long, ":"); {
		case long == name:
			return name
		case strings.HasPrefix(long, name) && found != "":
			return name
		case strings.HasPrefix(long, name):
			found = long
		}
	}
	if found == "" {
		return name
	}
	return found
}

// cluster reads a word such as -rf.
func (k row) cluster(c *call, w string, next []string) (int, error) {
	for n := 1; n < len(w); n++ {
		letter := w[n : n+1]
		at := strings.Index(k.letters, letter)
		switch {
		case letter == ":" || letter == "?" || at < 0:
			return 0, unknownOption(w)
		case at+1 < len(k.letters) && k.letters[at+1] == '?': // -i and -i.bak
			c.o[letter] = append(c.o[letter], w[n+1:])
			return 0, nil
		case at+1 == len(k.letters) || k.letters[at+1] != ':':
			c.o[letter] = append(c.o[letter], "")
		case n+1 < len(w):
			c.o[letter] = append(c.o[letter], w[n+1:])
			return 0, nil
		case len(next) == 0:
			return 0, fmt.Errorf("option %s has no value", w)
		default:
			c.o[letter] = append(c.o[letter], next[0])
			return 1, nil
		}
	}
	return 0, nil
}

func unknownOption(w string) error {
	return fmt.Errorf("%s: this option is not known here: %s", w, instead)
}

// has reports whether one of some options was given.
func (c *call) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return c.o[k] != nil })
}

// value returns the last value of an option.
func (c *call) value(key string) string {
	if list := c.o[key]; len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

// fail prints a message and returns the status of a command that failed.
func (c *call) fail(format string, args ...any) (int, error) {
	c.Err.Printf("%s: %s\n", c.Args[0], fmt.Sprintf(format, args...))
	return 1, nil
}

// print prints a text.
func (c *call) print(text string) (int, error) {
	_, err := c.Out.Write([]byte(text))
	return 0, err
}
