package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
)

// options are the values of a command's options by letter, or by name for those without a letter.
type options map[string]string

func (o options) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := o[name]; return ok })
}

// set sets an option. One with two values has a meaning that differs from command to command.
func (o options) set(name, word, value string) error {
	if before := o[name]; o.has(name) && before != value {
		return mistake.At(word, "option %s has two values, %s and %s: write a command for each", word, before, value)
	}
	o[name] = value
	return nil
}

// parse separates options and operands as getopt does: options may stand anywhere before "--".
func (c command) parse(words []string) (options, []string, error) {
	if c.plain || c.slashes {
		return nil, words, c.checked(nil, words)
	}
	o := options{}
	var args []string
	words, err := c.dashed(words)
	for i := 0; i < len(words) && err == nil; i++ {
		w, used := words[i], 0
		switch {
		case w == "--":
			args = append(args, words[i+1:]...)
			i = len(words)
		case strings.HasPrefix(w, "--"):
			used, err = c.word(o, w, words[i+1:])
		case len(w) > 1 && w[0] == '-':
			used, err = c.cluster(o, w, words[i+1:])
		default:
			args = append(args, w)
		}
		i += used
	}
	if err != nil {
		return nil, nil, err
	}
	return o, args, c.checked(o, args)
}

// dashed returns words whose first one, of options without a dash, became options with one, each
// with its value.
func (c command) dashed(words []string) ([]string, error) {
	if !c.dashless || len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return words, nil
	}
	var list []string
	rest := words[1:]
	for i := range len(words[0]) {
		letter := words[0][i : i+1]
		list = append(list, "-"+letter)
		if c.valued(letter) {
			if len(rest) == 0 {
				return nil, mistake.At(words[0], "option %s of %s has no value", letter, words[0])
			}
			list, rest = append(list, rest[0]), rest[1:]
		}
	}
	return append(list, rest...), nil
}

// word reads an option such as --mode=755, whose value may be the next word, and returns how many
// of those it took.
func (c command) word(o options, w string, next []string) (int, error) {
	name, value, has := strings.Cut(w[2:], "=")
	key := c.key(name)
	switch valued := c.valued(key); {
	case key == "" || has && !valued:
		return 0, c.unknown(w)
	case has || !valued:
		return 0, o.set(key, w, value)
	case len(next) == 0:
		return 0, mistake.At(w, "option %s has no value", w)
	}
	return 1, o.set(key, w, next[0])
}

// cluster reads a word such as -rf, whose last option may have its value in the next word, and
// returns how many of those it took.
func (c command) cluster(o options, w string, next []string) (int, error) {
	for k := 1; k < len(w); k++ {
		switch letter := w[k : k+1]; {
		case letter == ":" || !strings.Contains(c.letters, letter):
			return 0, c.unknown(w)
		case !c.valued(letter):
			o[letter] = ""
		case k+1 < len(w):
			return 0, o.set(letter, w[:k+1], w[k+1:])
		case len(next) == 0:
			return 0, mistake.At(w, "option -%s has no value", letter)
		default:
			return 1, o.set(letter, w, next[0])
		}
	}
	return 0, nil
}

// key returns the letter of a long option, or its name if it has no letter; empty if there is none.
func (c command) key(name string) string {
	for _, option := range strings.Fields(c.long) {
		long, key, ok := strings.Cut(option, "=")
		if long = strings.TrimSuffix(long, ":"); long == name {
			if ok {
				return key
			}
			return long
		}
	}
	return ""
}

func (c command) valued(key string) bool {
	if len(key) == 1 {
		return strings.Contains(c.letters, key+":")
	}
	return slices.Contains(strings.Fields(c.long), key+":")
}

func (c command) unknown(w string) error {
	return mistake.At(w, "option %s is not supported (supported: %s), and no command is run: %s",
		w, c.known(), Ways(c.in != sh, "leave it out"))
}

// known lists the options, those with a letter by it.
func (c command) known() string {
	var list, named []string
	for _, letter := range strings.ReplaceAll(c.letters, ":", "") {
		list = append(list, "-"+string(letter))
	}
	for _, option := range strings.Fields(c.long) {
		if name, key, _ := strings.Cut(strings.TrimSuffix(option, ":"), "="); len(key) != 1 {
			named = append(named, "--"+name)
		}
	}
	slices.Sort(named)
	if list = append(list, named...); len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}

// checked returns the errors in the operands that are certain without any file.
func (c command) checked(o options, args []string) error {
	switch n := len(args); {
	case n < c.least:
		return fmt.Errorf("it has %d operands and needs %d: complete the command", n, c.least)
	case c.most > 0 && n > c.most:
		return fmt.Errorf("it has %d operands and takes %d: write a command for each", n, c.most)
	case c.check == nil:
		return nil
	}
	return c.check(o, args)
}

// switches separates the options of a command of cmd, which begin with a slash, from its operands.
func (c command) switches(words []string) (o options, args []string, err error) {
	o = options{}
	known := strings.Fields(c.letters)
	for _, w := range words {
		if strings.IndexByte(w, '/') > 0 && !slices.Contains(known, "/M") { // a value of setx may
			return nil, nil, mistake.At(w, "%s: a slash begins an option of cmd: write paths with backslashes", w)
		}
		if !strings.HasPrefix(w, "/") {
			args = append(args, w)
			continue
		}
		w = strings.ToUpper(w)
		if !slices.Contains(known, w) {
			return nil, nil, mistake.At(w,
				"option %s is not supported (supported: %s): leave it out, or write paths with backslashes",
				w, c.letters)
		}
		o[w] = ""
	}
	return o, args, nil
}
