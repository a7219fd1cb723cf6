package system

import (
	"fmt"
	"strings"
)

// option is one option of a command line, by its letter, or by its name where it has no letter.
type option struct{ key, value string }

// syntax is what a program accepts, in the form of getopt.
type syntax struct {
	program string
	// letters have a colon behind those with a value.
	letters string
	// long names options, with the letter of each: gid=g. One without a letter that has a value
	// ends in a colon.
	long string
	// strict programs stop at the first operand.
	strict bool
	// single options may have one dash before a long name, as those of find.
	single bool
}

// parse separates options, in their order, from operands.
func (x syntax) parse(args []string) (list []option, operands []string, err error) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		var used bool
		switch {
		case w == "--":
			return list, append(operands, args[i+1:]...), nil
		case strings.HasPrefix(w, "--"):
			list, used, err = x.word(list, w, args[i+1:])
		case len(w) > 1 && w[0] == '-':
			list, used, err = x.cluster(list, w, args[i+1:])
		case x.strict:
			return list, args[i:], nil
		default:
			operands = append(operands, w)
		}
		if err != nil {
			return nil, nil, err
		}
		if used {
			i++
		}
	}
	return list, operands, nil
}

// word reads an option such as --gid=7; used means that its value is the next argument.
func (x syntax) word(list []option, w string, next []string) (all []option, used bool, err error) {
	name, value, has := strings.Cut(w[2:], "=")
	key, valued, err := x.key(w, name)
	switch {
	case err != nil:
		return nil, false, err
	case has && !valued:
		return nil, false, fmt.Errorf("%s: option --%s has no value: leave out ‘=%s’", x.program, name, value)
	case has || !valued:
		return append(list, option{key, value}), false, nil
	case len(next) == 0:
		return nil, false, fmt.Errorf("%s: option %s needs a value", x.program, w)
	}
	return append(list, option{key, next[0]}), true, nil
}

// key returns the key of a long option, which may be cut short where that is unambiguous.
func (x syntax) key(word, name string) (key string, valued bool, err error) {
	found := ""
	for _, o := range strings.Fields(x.long) {
		long, letter, _ := strings.Cut(o, "=")
		if strings.TrimSuffix(long, ":") == name {
			return x.keyOf(long, letter)
		}
		if !strings.HasPrefix(long, name) {
			continue
		}
		if found != "" {
			return "", false, fmt.Errorf("%s: option %s is ambiguous: write it out", x.program, word)
		}
		found = o
	}
	if found == "" || name == "" {
		return "", false, x.unknown(word)
	}
	long, letter, _ := strings.Cut(found, "=")
	return x.keyOf(long, letter)
}

func (x syntax) keyOf(long, letter string) (key string, valued bool, err error) {
	if letter == "" {
		key, valued = strings.CutSuffix(long, ":")
		return key, valued, nil
	}
	return letter, strings.Contains(x.letters, letter+":"), nil
}

// cluster reads a word such as -rf, whose last option may have its value in the next argument.
func (x syntax) cluster(list []option, w string, next []string) (all []option, used bool, err error) {
	for k := 1; k < len(w); k++ {
		letter := w[k : k+1]
		at := strings.Index(x.letters, letter)
		switch {
		case letter == ":" || at < 0:
			return nil, false, x.unknown(w)
		case !strings.HasPrefix(x.letters[at+1:], ":"):
			list = append(list, option{letter, ""})
		case k+1 < len(w):
			return append(list, option{letter, w[k+1:]}), false, nil
		case len(next) == 0:
			return nil, false, fmt.Errorf("%s: option -%s needs a value", x.program, letter)
		default:
			return append(list, option{letter, next[0]}), true, nil
		}
	}
	return list, false, nil
}

func (x syntax) unknown(word string) error {
	return fmt.Errorf("%s: option %s is not known here: leave it out, or write what it does in another way",
		x.program, word)
}
