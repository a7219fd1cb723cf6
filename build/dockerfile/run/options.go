package run

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
)

// tool is a command that RUN may have.
type tool struct {
	// options are its letters as for getopt: those before a colon have a value. Those below the
	// space are options that have only a long name.
	options string
	long    map[string]byte // the letter of each long option
	// takes reports whether there may be so many operands
	least, most int
	prints      bool                                 // its output may go into a file
	old         bool                                 // the first word may be options without -, as in tar xf
	reads       bool                                 // it may stand behind a pipe
	plain       bool                                 // all words are operands: it has no options
	check       func(o options, args []string) error // of what is certain before; nil for nothing
	run         func(r *runner, o options, args []string) error
}

// options are those of one command, with their values, by letter.
type options map[byte]string

func (o options) has(letters string) bool {
	for i := range len(letters) {
		if _, ok := o[letters[i]]; ok {
			return true
		}
	}
	return false
}

// many is more operands than any command has.
const many = 1 << 20

// tools are the commands of Linux.
func tools() map[string]tool {
	return map[string]tool{
		"mkdir": {options: "pvm:", long: map[string]byte{"parents": 'p', "mode": 'm', "verbose": 'v'}, least: 1, most: many, check: checkMkdir, run: mkdir},
		"touch": {options: "amc", long: map[string]byte{"no-create": 'c'}, least: 1, most: many, run: touch},
		"ln":    {options: "sfnvT", long: map[string]byte{"symbolic": 's', "force": 'f', "no-dereference": 'n', "verbose": 'v', "no-target-directory": 'T'}, least: 1, most: many, check: checkLink, run: link},
		"cp":    {options: "rRapfvdPLTt:", long: map[string]byte{"recursive": 'r', "archive": 'a', "force": 'f', "verbose": 'v', "no-dereference": 'P', "dereference": 'L', "no-target-directory": 'T', "target-directory": 't'}, least: 1, most: many, run: cp},
		"mv":    {options: "fvTt:", long: map[string]byte{"force": 'f', "verbose": 'v', "no-target-directory": 'T', "target-directory": 't'}, least: 1, most: many, run: mv},
		"rm":    {options: "rRfv", long: map[string]byte{"recursive": 'r', "force": 'f', "verbose": 'v'}, most: many, run: rm},
		"rmdir": {options: "v", least: 1, most: many, run: rmdir},
		"chmod": {options: "Rvcf", long: map[string]byte{"recursive": 'R', "verbose": 'v', "changes": 'c', "silent": 'f', "quiet": 'f'}, least: 2, most: many, check: checkChmod, run: chmodFiles},
		"chown": {options: "Rhvcf", long: map[string]byte{"recursive": 'R', "no-dereference": 'h', "verbose": 'v', "changes": 'c', "silent": 'f', "quiet": 'f'}, least: 2, most: many, run: chown},
		"chgrp": {options: "Rhvcf", long: map[string]byte{"recursive": 'R', "no-dereference": 'h', "verbose": 'v', "changes": 'c', "silent": 'f', "quiet": 'f'}, least: 2, most: many, run: chgrp},
		"curl":  curlTool(), "wget": wgetTool(), "tar": tarTool(), "unzip": unzipTool(), "go": goTool(), "xx-go": xxGoTool(),
		"sha256sum": checksumTool("cbtsqw"), "shasum": checksumTool("cbtsqwa:"),
		"install": installTool(), "sed": sedTool(), "cat": printing(),
		"cd":     {least: 1, most: 1, run: cd},
		"echo":   {plain: true, most: many, prints: true, check: checkEcho, run: echo},
		"printf": {plain: true, least: 1, most: many, prints: true, check: checkPrintf, run: printf},
		"true":   {plain: true, most: many, prints: true, run: nothing},
		":":      {plain: true, most: many, prints: true, run: nothing},
	}
}

// tool returns the command of a name, which may be a path in the directories that all systems
// have.
func (s *State) tool(name string) (tool, bool) {
	if s.Toolchain && slices.Contains(setUp, path.Base(name)) {
		return tool{plain: true, most: many, run: passOver}, true
	}
	if s.Windows() {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		t, ok := windowsTools()[name]
		return t, ok
	}
	for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/go/bin/"} {
		if n, ok := strings.CutPrefix(name, dir); ok {
			name = n
		}
	}
	t, ok := tools()[name]
	return t, ok
}

// parse separates options and operands as getopt does: options may stand anywhere before "--".
func (t tool) parse(words []string) (options, []string, error) {
	if t.plain {
		return nil, words, t.checked(nil, words)
	}
	o := options{}
	var args []string
	words, err := t.dashed(words)
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			args = append(args, words[i+1:]...)
			i = len(words)
		case strings.HasPrefix(w, "--"):
			used, err := t.word(o, w, words[i+1:])
			if err != nil {
				return nil, nil, err
			}
			i += used
		case len(w) > 1 && w[0] == '-':
			used, err := t.letters(o, w, words[i+1:])
			if err != nil {
				return nil, nil, err
			}
			i += used
		default:
			args = append(args, w)
		}
	}
	return o, args, t.checked(o, args)
}

// dashed returns words whose first one, of options without a dash, became options with one, each
// with its value.
func (t tool) dashed(words []string) ([]string, error) {
	if !t.old || len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return words, nil
	}
	var list []string
	rest := words[1:]
	for i := range len(words[0]) {
		list = append(list, "-"+words[0][i:i+1])
		if t.valued(words[0][i]) {
			if len(rest) == 0 {
				return nil, mistake.At(words[0], "option %c of %s has no value", words[0][i], words[0])
			}
			list, rest = append(list, rest[0]), rest[1:]
		}
	}
	return append(list, rest...), nil
}

// word reads an option such as --mode=755, whose value may be the next word. It returns how many of
// those it took.
func (t tool) word(o options, w string, next []string) (int, error) {
	name, value, has := strings.Cut(w[2:], "=")
	letter, ok := t.long[name]
	switch valued := t.valued(letter); {
	case !ok || has && !valued:
		return 0, t.unknown(w)
	case has || !valued:
		return 0, o.set(letter, w, value)
	case len(next) == 0:
		return 0, mistake.At(w, "option %s has no value", w)
	}
	return 1, o.set(letter, w, next[0])
}

// set sets an option. One with two values has a meaning that differs from command to command.
func (o options) set(letter byte, w, value string) error {
	if before, ok := o[letter]; ok && before != value {
		return mistake.At(w, "option %s has two values, %s and %s: write a command for each", w, before, value)
	}
	o[letter] = value
	return nil
}

// letters reads a word such as -rf, whose last option may have its value in the next word. It
// returns how many of those it took.
func (t tool) letters(o options, w string, next []string) (int, error) {
	for k := 1; k < len(w); k++ {
		switch {
		case w[k] == ':' || strings.IndexByte(t.options, w[k]) < 0:
			return 0, t.unknown(w)
		case !t.valued(w[k]):
			o[w[k]] = ""
		case k+1 < len(w):
			return 0, o.set(w[k], w[:k+1], w[k+1:])
		case len(next) == 0:
			return 0, mistake.At(w, "option -%c has no value", w[k])
		default:
			return 1, o.set(w[k], w, next[0])
		}
	}
	return 0, nil
}

func (t tool) valued(letter byte) bool {
	i := strings.IndexByte(t.options, letter)
	return i >= 0 && i+1 < len(t.options) && t.options[i+1] == ':'
}

func (t tool) unknown(w string) error {
	return mistake.At(w, "option %s is not known here (known are %s), and no command is run: leave it out, or %s", w, t.known(), instead)
}

func (t tool) known() string {
	var list []string
	for _, c := range strings.ReplaceAll(t.options, ":", "") {
		if c > ' ' {
			list = append(list, "-"+string(c))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.long)) {
		if t.long[name] < ' ' {
			list = append(list, "--"+name)
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}

// checked returns what is wrong with the operands, as far as that is certain without any file.
func (t tool) checked(o options, args []string) error {
	switch n := len(args); {
	case n < t.least:
		return fmt.Errorf("it has %d operands and needs %d: complete the command", n, t.least)
	case n > t.most:
		return fmt.Errorf("it has %d operands and takes %d: write a command for each", n, t.most)
	case t.check == nil:
		return nil
	}
	return t.check(o, args)
}
