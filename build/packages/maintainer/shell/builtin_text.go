package shell

import (
	"context"
	"slices"
	"strings"
)

// which is command -v and type.
func which(_ context.Context, sh *Shell, args []string) error {
	names := args[1:]
	long := args[0] == "type" || len(names) > 0 && names[0] == "-V"
	for len(names) > 0 && (names[0] == "-v" || names[0] == "-V" || names[0] == "-p" || names[0] == "--") {
		names = names[1:]
	}
	if sh.Bash && len(names) > 0 && strings.HasPrefix(names[0], "-") {
		return sh.refuse("%s %s is not known here", args[0], names[0])
	}
	sh.status = 0
	for _, name := range names {
		found, err := sh.find(name)
		if err != nil {
			return err
		}
		switch {
		case found == "":
			if sh.status = 127; args[0] == "type" || sh.Bash {
				sh.status = 127 - 126*oneIf(sh.Bash)
			}
			if long {
				sh.stream(1).Printf("%s: not found\n", name)
			}
		case long:
			sh.stream(1).Printf("%s is %s\n", name, found)
		default:
			sh.stream(1).Printf("%s\n", found)
		}
	}
	return nil
}

// find returns what a name means as a command, empty for nothing.
func (sh *Shell) find(name string) (string, error) {
	if sh.functions[name] != nil || sh.IsBuiltin(name) {
		return name, nil
	}
	return sh.LookPath(name)
}

// LookPath returns the path of a program in $PATH, empty for none.
func (sh *Shell) LookPath(name string) (string, error) {
	dirs := strings.Split(sh.value("PATH"), ":")
	if strings.Contains(name, "/") {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		p := name
		if dir != "" {
			p = strings.TrimSuffix(dir, "/") + "/" + name
		}
		ok, err := sh.unaryTest("-x", p)
		if err != nil {
			return "", err
		}
		file, err := sh.unaryTest("-d", p)
		if ok && !file || err != nil {
			return p, err
		}
	}
	return "", nil
}

// read reads a line into variables.
func read(_ context.Context, sh *Shell, args []string) error {
	raw := false
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-r":
			raw = true
		case "-p":
			if len(args) > 1 {
				args = args[1:]
			}
		case "--":
		default:
			return sh.refuse("read %s is not known here", args[0])
		}
		args = args[1:]
	}
	if len(args) == 0 {
		args = []string{"REPLY"}
	}
	line, ok := readLine(sh.stream(0), raw)
	sh.status = oneIf(!ok)
	return sh.assignFields(line, args)
}

// readLine reads a line without its end, as pieces of which some are quoted by a backslash.
func readLine(s *Stream, raw bool) ([]piece, bool) {
	var all []piece
	for {
		line, ok := s.Line()
		if !ok {
			return all, false
		}
		text, ended := strings.CutSuffix(line, "\n")
		if raw {
			return append(all, piece{text: text, split: true}), ended
		}
		more := false
		for text != "" {
			n := strings.IndexByte(text, '\\')
			if n < 0 {
				all = append(all, piece{text: text, split: true})
				break
			}
			if all = append(all, piece{text: text[:n], split: true}); n == len(text)-1 {
				more = ended
				break
			}
			all = append(all, piece{text: text[n+1 : n+2], quoted: true})
			text = text[n+2:]
		}
		if !more {
			return all, ended
		}
	}
}

// assignFields gives each variable a field, and the last what is left.
func (sh *Shell) assignFields(line []piece, names []string) error {
	ifs := " \t\n"
	if v := sh.vars["IFS"]; v.set {
		ifs = v.text
	}
	white := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n", r) {
			return r
		}
		return -1
	}, ifs)
	var text []byte
	var quoted []bool
	for _, p := range line {
		for n := range len(p.text) {
			text, quoted = append(text, p.text[n]), append(quoted, p.quoted)
		}
	}
	in := func(n int, set string) bool { return !quoted[n] && strings.IndexByte(set, text[n]) >= 0 }
	at, end := 0, len(text)
	for at < end && in(at, white) {
		at++
	}
	for end > at && in(end-1, white) {
		end--
	}
	for _, name := range names[:len(names)-1] {
		from := at
		for at < end && !in(at, ifs) {
			at++
		}
		if err := sh.assign(name, string(text[from:at])); err != nil {
			return err
		}
		for at < end && in(at, white) {
			at++
		}
		if at < end && in(at, ifs) {
			at++
			for at < end && in(at, white) {
				at++
			}
		}
	}
	last := string(text[at:end])
	if n := len(last) - 1; n >= 0 && in(end-1, ifs) && !strings.ContainsAny(last[:n], ifs) {
		last = last[:n]
	}
	return sh.assign(names[len(names)-1], last)
}

// set sets options and parameters.
func set(_ context.Context, sh *Shell, args []string) error {
	sh.status = 0
	args = args[1:]
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			sh.Params = args[1:]
			return nil
		case a == "-o" || a == "+o":
			if len(args) < 2 {
				return nil
			}
			if !sh.option(args[1], a[0] == '-') {
				return sh.refuse("set %s %s is not known here", a, args[1])
			}
			args = args[1:]
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			if strings.HasSuffix(a, "o") && len(args) > 1 { // -eo pipefail
				if !sh.option(args[1], a[0] == '-') {
					return sh.refuse("set %s %s is not known here", a, args[1])
				}
				args, a = args[1:], a[:len(a)-1]
			}
			if !sh.setLetters(a) {
				return sh.refuse("set %s is not known here", a)
			}
		default:
			sh.Params = args
			return nil
		}
		args = args[1:]
	}
	return nil
}

const letters = "e=errexit u=nounset f=noglob x=xtrace a=allexport v=verbose C=noclobber n=noexec m=monitor " +
	"b=notify h=hashall E=errtrace T=functrace"

// setLetters sets the options -eu.
func (sh *Shell) setLetters(word string) bool {
	if len(word) < 2 || word[0] != '-' && word[0] != '+' {
		return false
	}
	for _, letter := range word[1:] {
		known := false
		for _, o := range strings.Fields(letters) {
			if rune(o[0]) == letter && letter != 'n' {
				sh.options[o[2:]], known = word[0] == '-', true
			}
		}
		if !known {
			return false
		}
	}
	return true
}

// option sets an option by its name.
func (sh *Shell) option(name string, on bool) bool {
	known := slices.ContainsFunc(strings.Fields(letters), func(o string) bool { return o[2:] == name })
	if known && name != "noexec" || name == "pipefail" || name == "posix" || name == "nolog" {
		sh.options[name] = on
		return true
	}
	return false
}

// letters returns $-.
func (sh *Shell) letters() string {
	var b strings.Builder
	for _, o := range strings.Fields(letters) {
		if sh.options[o[2:]] {
			b.WriteByte(o[0])
		}
	}
	return b.String()
}

func shopt(_ context.Context, sh *Shell, args []string) error {
	sh.status = 0
	for _, a := range args[1:] {
		switch a {
		case "-s", "-u", "-q", "expand_aliases", "checkwinsize", "histappend":
		default:
			return sh.refuse("shopt %s is not known here", a)
		}
	}
	return nil
}
