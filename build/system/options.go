package system

import (
	"fmt"
	"strings"
)

// options are those of one command line, with their values, by letter.
type options map[string]string

func (o options) has(key string) bool {
	_, ok := o[key]
	return ok
}

// syntax is what a program accepts, in the form of getopt.
type syntax struct {
	program string
	// letters have a colon behind those with a value.
	letters string
	// long names options, with the letter of each: gid=g.
	long string
}

// parse separates options from operands.
func (x syntax) parse(args []string) (o options, operands []string, err error) {
	o = options{}
	for i := 0; i < len(args); i++ {
		used := 0
		switch w := args[i]; {
		case w == "--":
			return o, append(operands, args[i+1:]...), nil
		case strings.HasPrefix(w, "--"):
			used, err = x.word(o, w, args[i+1:])
		case len(w) > 1 && w[0] == '-':
			used, err = x.cluster(o, w, args[i+1:])
		default:
			operands = append(operands, w)
		}
		if err != nil {
			return nil, nil, err
		}
		i += used
	}
	return o, operands, nil
}

// word reads an option such as --gid=7, whose value may be the next argument. It returns how many
// of those it took.
func (x syntax) word(o options, w string, next []string) (int, error) {
	name, value, has := strings.Cut(w[2:], "=")
	for _, one := range strings.Fields(x.long) {
		long, key, _ := strings.Cut(one, "=")
		valued := strings.Contains(x.letters, key+":")
		switch {
		case long != name:
			continue
		case has && !valued:
			return 0, fmt.Errorf("%s: option --%s has no value: leave out ‘=%s’", x.program, name, value)
		case has || !valued:
			o[key] = value
			return 0, nil
		case len(next) == 0:
			return 0, fmt.Errorf("%s: option %s needs a value", x.program, w)
		}
		o[key] = next[0]
		return 1, nil
	}
	return 0, x.unknown(w)
}

// cluster reads a word such as -ms, whose last option may have its value in the next argument. It
// returns how many of those it took.
func (x syntax) cluster(o options, w string, next []string) (int, error) {
	for k := 1; k < len(w); k++ {
		letter := w[k : k+1]
		at := strings.Index(x.letters, letter)
		switch {
		case letter == ":" || at < 0:
			return 0, x.unknown(w)
		case !strings.HasPrefix(x.letters[at+1:], ":"):
			o[letter] = ""
		case k+1 < len(w):
			o[letter] = w[k+1:]
			return 0, nil
		case len(next) == 0:
			return 0, fmt.Errorf("%s: option -%s needs a value", x.program, letter)
		default:
			o[letter] = next[0]
			return 1, nil
		}
	}
	return 0, nil
}

func (x syntax) unknown(word string) error {
	return fmt.Errorf("%s: option %s is not known here: leave it out, or write what it does in another way",
		x.program, word)
}
