//go:build linux

package buildkit

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// drawnTree are the files that drawn lines change, in the directory that lines call @.
const drawnTree = `dir 755 0:0 @
dir 755 0:0 @/a
dir 750 7:8 @/a/b
file 640 2:3 @/a/f "f"
file 4751 2:3 @/a/b/g "g"
file 600 0:0 @/.h "h"
dir 755 0:0 @/d1
file 644 1:1 @/d1/x "one"
file 444 0:0 @/d1/y "y"
dir 755 0:0 @/d2
file 755 1:1 @/d2/x "two"
dir 755 0:0 @/d2/a
dir 755 0:0 @/e
dir 2775 3:7 @/sg
dir 1777 5:5 @/st
link @/l a
link @/lb a/b
link @/fl a/f
link @/dang nowhere
link @/d1/up ..
`

// drawn is a line of commands that a shell and Slipway both carry out.
type drawn struct {
	commands []string
	joiners  []string // before each command but the first
}

// in returns the line for a directory.
func (d drawn) in(dir string) string {
	var b strings.Builder
	for i, c := range d.commands {
		if i > 0 {
			b.WriteString(d.joiners[i-1])
		}
		b.WriteString(c)
	}
	return strings.ReplaceAll(b.String(), "@", dir)
}

// without returns the line without one of its commands.
func (d drawn) without(n int) drawn {
	var s drawn
	for i, c := range d.commands {
		if i == n {
			continue
		}
		if len(s.commands) > 0 {
			s.joiners = append(s.joiners, d.joiners[i-1])
		}
		s.commands = append(s.commands, c)
	}
	return s
}

// drawer draws lines of the grammar that Slipway accepts, and of its neighborhood.
type drawer struct {
	*rand.Rand
	vars []string // that the line has set
	deep int      // how many compound commands there are around
}

// variables are those of the environment of a line.
var variables = []string{"EMPTY=", "LIST=n1 n2", "NAME=v1.2", "STAR=d*", "DIR=a"}

func (r *drawer) line() drawn {
	var d drawn
	r.vars = []string{"EMPTY", "LIST", "NAME", "STAR", "DIR"}
	for n := range 1 + r.IntN(5) {
		if n > 0 {
			d.joiners = append(d.joiners, r.one(" && ", " && ", " && ", "; "))
		}
		d.commands = append(d.commands, r.command())
	}
	return d
}

func (r *drawer) one(of ...string) string { return of[r.IntN(len(of))] }

func (r *drawer) chance(percent int) bool { return r.IntN(100) < percent }

func (r *drawer) some(n int, of func() string) string {
	list := []string{of()}
	for range r.IntN(n) {
		list = append(list, of())
	}
	return strings.Join(list, " ")
}

// flags returns a subset of options, apart or together.
func (r *drawer) flags(of ...string) string {
	var list []string
	for _, f := range of {
		if r.chance(35) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return ""
	}
	if r.chance(50) {
		return " -" + strings.Join(list, "")
	}
	return " -" + strings.Join(list, " -")
}

var plainNames = []string{
	"a", "a/b", "a/f", "a/b/g", ".h", "d1", "d1/x", "d1/y", "d2", "d2/x", "d2/a", "e", "sg", "st",
	"l", "lb", "fl", "dang", "d1/up", "l/f", "lb/g", "d1/up/a", "n1", "n2", "n1/n2", "e/n", "sg/n",
	"st/n", "n1/x", "'s p'", `"s p"`, `s\ p`, "none",
}

// name returns a path as people write it.
func (r *drawer) name() string {
	n := r.one(plainNames...)
	switch r.IntN(22) {
	case 0, 1, 2, 3:
		n = "@/" + n
	case 4:
		n = "./" + n
	case 5, 6:
		n += "/"
	case 7:
		n = "a/../" + n
	case 8:
		n = "l/../" + n
	case 9:
		n += "/.."
	case 10:
		n += "/."
	case 11:
		n = strings.ReplaceAll(n, "/", "//")
	case 12:
		n = r.one("*", "d?", "d*", "d*/x", "a/*", "*/x", ".h*", "[ae]", "@/d[12]", "n*", "zz*", "a*/", "st/*")
	case 13:
		n = r.one(`"$DIR"/f`, "$DIR/b", "${DIR}/f", "$LIST", `"$LIST"`, "$STAR", `"$STAR"`, "$EMPTY",
			"${NONE:-d1}", "${EMPTY:-e}", "${NAME#v}", "${NAME%.2}", "${NONE-n1}", "${DIR:+d2}", "${EMPTY+n2}")
	case 14:
		n = r.value()
	}
	return n
}

// value returns the text of a variable or of an argument.
func (r *drawer) value() string {
	return r.one("n1", "n2", "a", "'q q'", `"x y"`, "$"+r.one(r.vars...), `"$`+r.one(r.vars...)+`"`,
		"${"+r.one(r.vars...)+"}x", "v-$"+r.one(r.vars...), `"${NONE:-b c}"`, `"${NONE:-'q'}"`, "${NONE:-'q'}",
		`"${`+r.one(r.vars...)+`:+'z'}"`, `"a'b"`, `'a"b'`, `a\$b`, `"\$x"`, `"a\b"`, "${NAME%2}", `"${NAME#v}"`, "a#b",
		"a=b", "{x}", "!x")
}

func (r *drawer) mode() string {
	if r.chance(40) {
		return r.one("755", "644", "700", "0750", "1777", "4755", "2755", "06711", "00755", "0",
			"777", "01700", "00644", "7777")
	}
	var parts []string
	for range 1 + r.IntN(3) {
		who := r.one("", "u", "g", "o", "a", "ug", "go", "ugo")
		part := who
		for range 1 + r.IntN(2) {
			part += r.one("=", "+", "-") + r.one("", "r", "w", "x", "rw", "rx", "rwx", "X", "rX",
				"s", "t", "xs", "rwXst", "u", "g", "o")
		}
		parts = append(parts, part)
	}
	m := strings.Join(parts, ",")
	if m[0] == '-' {
		m = "a" + m
	}
	return m
}

func (r *drawer) owner() string {
	return r.one("5", "5:6", ":7", "app", "app:users", "app:", ":users", "0:0", "root:root", "5:")
}

func (r *drawer) command() string {
	name := func() string { return r.name() }
	switch r.IntN(27) {
	case 20, 21, 22:
		if r.deep < 3 {
			r.deep++
			defer func() { r.deep-- }()
			return r.compound()
		}
	case 23:
		return "sed -i" + r.one(" ", " ", " -e ", " -E ") + r.script() + " " + r.some(2, name)
	case 24:
		m := r.one("", " -m 644", " -m 0700", " -m755", " -m u=rw", " -m 2755") +
			r.one("", "", " -o app", " -g users", " -o 5 -g 6")
		if r.chance(30) {
			return "install -d" + m + " " + r.some(2, name)
		}
		return "install" + r.flags("D", "v", "T") + m + " " + r.some(2, name) + " " + name()
	case 25:
		return r.prints(name) + r.one(" > ", " >> ") + name()
	case 26:
		return r.one("V=", "W=", "export X=") + `"$(` + r.prints(name) +
			`)"` + r.one("", " && touch \"n-$V\"", " && mkdir $W", "; echo $X > n1")
	case 0, 1:
		m := ""
		if r.chance(30) {
			m = " -m " + r.mode()
		}
		return "mkdir" + r.flags("p", "v") + m + " " + r.some(3, name)
	case 2:
		return "touch" + r.flags("c", "a") + " " + r.some(2, name)
	case 3:
		return "ln -s" + r.flags("f", "n", "T") + " " + r.some(2, name) + " " + name()
	case 4, 5, 6:
		t := ""
		if r.chance(10) {
			t = " -t " + name()
		}
		return "cp" + r.flags("r", "a", "p", "P", "L", "d", "f", "T") + t + " " + r.some(3, name) + " " + name()
	case 7, 8:
		return "mv" + r.flags("f", "T") + " " + r.some(2, name) + " " + name()
	case 9, 10:
		return "rm" + r.flags("r", "f", "R") + " " + r.some(2, name)
	case 11:
		return "rmdir " + r.some(2, name)
	case 12, 13:
		return "chmod" + r.flags("R") + " " + r.mode() + " " + r.some(2, name)
	case 14:
		return r.one("chown", "chown", "chgrp") + r.flags("R", "h") + " " + r.one(r.owner(), r.owner(), "users", "9") +
			" " + r.some(2, name)
	case 15, 16:
		return "cd " + r.one(name(), name(), "..", "a", "l", "lb", "d1/up", "@", "../d1", "l/..")
	case 17:
		echo := r.one("echo ", "echo -n ", "printf '%s\\n' ", "printf '[%s]%%\\t' ", "printf ") + r.some(3, r.value)
		to := r.one(" > ", " >> ", " 1> ") + name()
		switch r.IntN(8) {
		case 0:
			to += r.one(" > /dev/null", " >&2", " 2>&1", " 2>/dev/null")
		case 1:
			to = r.one(" > /dev/null", " >&2", " 2>&1", " > /dev/null 2>&1", " >&2") + to
		}
		return echo + to
	case 18:
		assign := func() string {
			v := r.one("V", "W", "X")
			a := v + "=" + r.value()
			r.vars = append(r.vars, v)
			return a
		}
		switch r.IntN(4) {
		case 0:
			return "export " + assign()
		case 1:
			return assign() + " " + r.one("true", ":", "touch n1", "mkdir n2")
		}
		return r.some(2, assign)
	}
	return r.one("true", ":", "> "+name(), ": > "+name(),
		"true a b", fmt.Sprintf("printf '%%s' %s > %s", r.value(), name()))
}

// compound draws a condition, a loop or a row.
func (r *drawer) compound() string {
	body := func() string {
		if r.chance(25) {
			return r.command() + r.one("; ", " && ") + r.command()
		}
		return r.command()
	}
	switch r.IntN(11) {
	case 0, 1:
		s := "if " + r.condition() + "; then " + body()
		if r.chance(30) {
			s += "; elif " + r.condition() + "; then " + body()
		}
		if r.chance(50) {
			s += "; else " + body()
		}
		return s + "; fi"
	case 2, 3:
		s := "case " + r.value() + " in "
		for range 1 + r.IntN(2) {
			s += r.one("n*", "a", "x|n1", "'q q'", "v?1*", "[nv]*", `"$NAME"`, `"x y"`, "''", "*1", "a*b", "$V", `\*`) +
				") " + body() + ";; "
		}
		if r.chance(60) {
			s += "*) " + r.one(body(), "exit 1", "true") + ";; "
		}
		return s + "esac"
	case 4:
		v := r.one("V", "W")
		r.vars = append(r.vars, v)
		return "for " + v + " in " + r.some(3, r.value) + "; do " + body() + "; done"
	case 7, 8:
		v := r.one("V", "W")
		r.vars = append(r.vars, v)
		over := r.one("*", "a/*", "@/d?/*", "d*", "*/x", "zz*", "e/*", ".*h", "[de]*", "$STAR", `"$STAR"`,
			"l/*", "n*", "$V*")
		return "for " + v + " in " + over + "; do " + r.one(body(), `cp "$`+v+`" e/`, `rm -rf "$`+v+`"`,
			`[ -d "$`+v+`" ] || rm $`+v, `echo $`+v+` >> n1`, `[ -f $`+v+` ] && mv $`+v+` st/`) + "; done"
	case 9:
		s := "(" + r.one("", "cd "+r.name()+" && ", "V=n2; ", "export X=n1; ") +
			body() + r.one("", "", "; exit 0", "; exit 1", " && exit 3") + ")"
		return s + r.one("", "", " || "+body(), " && "+body(), " > n1", " > /dev/null")
	case 10:
		say := func() string { return r.one("echo ", "printf %s ") + r.value() }
		s := say() + "; " + r.one(say(), "cat "+r.name(), "if "+r.condition()+"; then "+say()+"; fi",
			"("+say()+")", "for V in a d*; do echo $V; done", say()+" > n2", say()+" >/dev/null", "cd a", "mkdir n2")
		return r.one("{ "+s+"; }", "("+s+")", "if "+r.condition()+"; then "+s+"; fi") + r.one(" > ", " >> ") + r.name()
	case 5:
		return "{ " + body() + "; }"
	case 6:
		return r.condition() + r.one(" && ", " || ") + r.one(body(), "exit 1", "exit 0", "{ "+body()+"; }")
	}
	return body() + " || " + r.one(body(), "true", "exit 1")
}

// condition draws what compound commands ask.
func (r *drawer) condition() string {
	one := r.one(
		"[ "+r.value()+" = "+r.value()+" ]", `[ "$V" != n1 ]`, "[ -z "+r.value()+" ]",
		`[ -n "`+"$"+r.one(r.vars...)+`" ]`, "test "+r.value(), "[ $LIST = n1 ]", "[ ]", `[ "$DIR" = a ]`,
		`[ "$DIR" = b ]`, "[ ! "+r.value()+" ]",
		`[ "$NAME" == v1.2 ]`, `[ "$NAME" == v2 ]`, "true", "false", "mkdir n1", "(exit 1)", "(cd a)",
		`[ "$STAR" = "d*" ]`, "[ $STAR = a ]", "set -e",
	)
	if r.chance(40) {
		one = r.one("[ ", "[ ", "[ ! ") + r.one("-f", "-e", "-d", "-s", "-x", "-r", "-h", "-L") +
			" " + r.one(r.name(), r.name(), `"$V"`, "''") + " ]"
	}
	if r.chance(5) {
		one = "[ " + r.one("1", "02", "-3", "$NAME") + r.one(" -eq ", " -lt ", " -ge ", " -ne ") +
			r.one("1", "2", "x") + " ]"
	}
	if r.chance(15) {
		one = "! " + one
	}
	if r.chance(20) {
		one += r.one(" && ", " || ") + r.condition()
	}
	return one
}

// script draws what sed does.
func (r *drawer) script() string {
	return r.one("s/f/F/", "'s/o/0/g;s/t/T/'", "'s/n/x y/'", `'s/\./\//'`, "'s|o|/|g'", "s/o./x/",
		"'s/o/&&/'", `'s/e/a\&/'`, "'s#a#$DIR#'", `"s#one#$NAME#"`, "/x/d", "s/q//", "'s/^o/x/'", "s,w,W,I")
}

// prints draws a command of which it is known what it prints.
func (r *drawer) prints(name func() string) string {
	s := r.one("cat "+name(), "cat "+name(), "echo "+r.value(), "printf '%s\\n' "+r.some(3, r.value),
		"grep "+r.one("o", "f", "-F .", "1.2", "zz")+" "+name(), "sed "+r.script()+" "+name(), "basename "+name(),
		"dirname "+name(), "cut -c2- "+name())
	for range r.IntN(2) {
		s += " | " + r.one("cut -c2-", "cut -c1-2", "cut -d. -f1", "cut -d' ' -f 2", "sed "+r.script(),
			"cat", "head -n1", "head -1", "awk '{print $1}'", "awk '{ print $2; }'", "grep n", "cut -c 3", "cut -f1")
	}
	return s
}
