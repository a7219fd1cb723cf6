package script_test

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/containerfile/script"
)

func env(name string) (string, bool, error) {
	if name == "UNKNOWN" {
		return "", false, errors.New("not known")
	}
	v, ok := map[string]string{
		"A": "a", "LIST": "x  y", "EMPTY": "", "STAR": "*", "PATH": `C:\Windows`,
		"$(git rev-parse HEAD)": "abc\n",
	}[name]
	return v, ok, nil
}

// format writes commands for comparison: words in brackets, patterns after a tilde.
func format(commands []script.Command) string {
	var b strings.Builder
	for _, c := range commands {
		if c.Input != nil {
			b.WriteString(strings.TrimSuffix(format([]script.Command{*c.Input}), ";") + "|")
		}
		for _, e := range c.Env {
			b.WriteString(e + " ")
		}
		for _, w := range c.Args {
			b.WriteString("[" + w.Text)
			if w.Pattern != "" {
				b.WriteString("~" + w.Pattern)
			}
			b.WriteString("]")
		}
		if c.Output != nil {
			b.WriteString(">" + c.Output.File.Text)
		}
		b.WriteString(";")
	}
	return b.String()
}

func TestShell(t *testing.T) {
	for source, want := range map[string]string{
		"a b && c; d\ne":             "[a][b];[c];[d];[e];",
		`a "b c" 'd $A' e\ f "$A"g`:  "[a][b c][d $A][e f][ag];",
		`a $LIST "$LIST" x$LIST.`:    "[a][x][y][x  y][xx][y.];",
		`a $EMPTY "$EMPTY" $NONE ""`: "[a][][];",
		`a ${A:-x} ${EMPTY:-"x y"} ${EMPTY-z} ${NONE-"b c"} ${A:+p} ${NONE+q}`: "[a][a][x y][b c][p];",
		`a *.txt "*" \* $STAR "$STAR" [ab]? [ a]`:                              "[a][*.txt~*.txt][*][*][*~*][*][[ab]?~[ab]?][[][a]];",
		`a "\$A\"\\\n" \$A`:             `[a][$A"\\n][$A];`,
		"a >b 2>/dev/null; c >> d; > e": "[a]>b;[c]>d;[:]>e;",
		"set -eu -o pipefail; a":        "[a];",
		"set -euxo pipefail; a":         "[a];",
		"set -o x":                      "", "set pipefail": "",
		"set -eux; a # b":                               "[a];",
		"X=b:$A Y= a $X; Z='1 2'; a $Z \"$Z\"":          "X=b:a Y= [a];Z=1 2 [:];[a][1][2][1 2];",
		"export X=1 Z A; A=b; a $X; X=2 a":              "X=1 A=a A=b [:];X=1 A=a A=b [a][1];X=1 A=a A=b X=2 [a];",
		"V=v1.2; a ${V#v} ${V%.2}0 ${V##x}":             "V=v1.2 [:];[a][1.2][v10][v1.2];",
		"a $(git rev-parse HEAD)x `git rev-parse HEAD`": "[a][abcx][abc];",
		"echo h | sha256sum -c -":                       "[echo][h]|[sha256sum][-c][-];",
		"a ~b":                                          "", "a {b,c}": "", "a [!b]": "", "a ${NONE:-b c}": "",
		"a ${A#*}": "", "a $(date)": "", "A=~ b": "", "export A-B=c": "", "a $HOME": "", "a || b": "[a];",
		"a <b": "", "a 2>b": "", "a >b >c": "", "a 'b": "",
		"V=1.2 D=app-$V; mkdir $D": "V=1.2 D=app-1.2 [:];[mkdir][app-1.2];",
		"A=1 B=$A c $A $B":         "A=1 B=1 [c][a];",
		`a "${NONE:-'q'}"`:         "", `a "${A:+'q'}"`: "", `a "${A:-"q"}"`: "", `a ${NONE:-'q'}`: "[a][q];",
		"export X=$LIST": "", "export X=$STAR": "", `export X="$LIST" && a $X`: "X=x  y [a][x][y];",
		"IFS=,; a": "", "IFS=, a": "", "CDPATH=/x cd y": "", "export POSIXLY_CORRECT=1": "", "A=1 :": "",
		"A=1 export B":      "",
		"a > b > /dev/null": "", "a > b >&2": "", "a >&2 > b": "[a]>b;", "a >/dev/null | b": "",
		"a 1>&2 | b": "", "a > b 2>/dev/null": "[a]>b;",
		"a $UNKNOWN": "", "a ${UNKNOWN:-x}": "", "A=b:~": "", "export A=~": "",
		"[ $A = a ] || b; [ \"$A\" != a ] || c; test -z \"$EMPTY\" && d":                         "[c];[d];",
		"if [ $A = a ]; then b; else c; fi; if [ -n \"$EMPTY\" ]; then d; elif true; then e; fi": "[b];[true];[e];",
		"if ! [ $A = a ] || [ -z \"$EMPTY\" ]; then b; fi":                                       "[b];",

		"if a; then b; else c; fi":           "[a];[b];",
		"if [ -f /x ]; then b; fi":           "",
		"if [ $A == a ]; then b; fi":         "",
		"if [ $A == b ]; then b; else c; fi": "[c];",
		"[ $STAR = a ]":                      "",
		"[ $A = a":                           "",

		"case $A in a|b) c ;; *) d ;; esac; case x/y in x*) e ;; esac; case \"\" in '') f ;; esac": "[c];[e];[f];",
		"case $A in [ab]) c ;; esac; case $A in b) exit 1 ;; esac; case 'a*' in a\\*) d ;; esac":   "[c];[d];",
		"case $A in $A) c ;; esac":                             "",
		"for x in a $LIST \"b c\"; do c $x \"$x\"; done; d $x": "[c][a][a];[c][x][x];[c][y][y];[c][b][c][b c];[d][b][c];",
		"for x in; do a; done; b":                              "[b];", "for x in *; do a; done": "",
		"while true; do a; done": "", "for x in a; do break; done": "",
		"{ a; b; }": "[a];[b];", "{ a; } > b": "",
		"[ $A = b ]": "", "false; a": "[a];", "set -e; false; a": "", "set -e; false && a; b": "[b];",
		"set -e; ! true; b":               "[true];[b];",
		"set -e; if false; then a; fi; b": "[b];", "set -e; { false && a; }; b": "[b];", "false && a": "",
		"! false; a": "[a];", "! a": "",
		"b; exit 0; a": "[b];", "a; exit": "", "[ $A = a ] || exit 1; b": "[b];", "[ $A = b ] || { a; exit 1; }": "",
		"X=1; (cd a; X=2; export Y=3; b $X); c $X": "X=1 [:];[(];[cd][a];X=2 [:];Y=3 [b][2];[)];[c][1];",
		"(a; exit 0; b); c; (exit 1) || d":         "[(];[a];[)];[c];[(];[)];[d];",
		"set -e; (false); a":                       "", "set -e; (false) || a": "[(];[)];[a];", "(exit 1)": "",
		"(exit)": "", "(exit 256)": "", "(a) &": "", "(set -e; a)": "",
		"{ echo a; (echo b); echo c > d; } > f": "[:]>f;[echo][a]>f;[(];[echo][b]>f;[)];[echo][c]>d;",
		"{ cd a; } > f":                         "", "(a) > /dev/null 2>&1": "[(];[a];[)];", "{ cat; } <<E\nE": "",
		"if true; then echo a; fi >> f":                            "[:]>f;[true]>f;[echo][a]>f;",
		"[ 2 -gt 10 ] || a; [ 010 -eq 10 ] && b; [ a -eq 1 ] || c": "",
		"[ 2 -gt 10 ] || a; [ 010 -eq 10 ] && b":                   "[a];[b];", "[[ a ]] && b": "", "[ -f a ] || b": "",
		"a *":        "[a][*~*];",
		"unset A; a": "", "umask 077; a": "", "eval a": "", "exec a": "",
		"cat <<E > f\n$A \\$A \\\\ \\\" \\x\nE\na": "[printf][%s][a $A \\ \\\" \\x\n]|[cat]>f;[a];",
		"cat > f <<'E'\n$A\\\\\nE":                 "[printf][%s][$A\\\\\n]|[cat]>f;", "a | cat <<E\nE": "",
		"cat <<-E\n\tE":                      "",
		"echo a b | cut -c2- | sha256sum -c": "[echo][a][b]|[cut][-c2-]|[sha256sum][-c];",
		"a {b} {} b~ a=b \\{a,b\\}":          "[a][{b}][{}][b~][a=b][{a,b}];",
	} {
		got, err := script.Shell(source, script.Options{Env: env})
		if (want == "") != (err != nil) || format(got) != want {
			t.Errorf("%s: %s, %v, want %s", source, format(got), err, want)
		}
	}
}

func TestCmd(t *testing.T) {
	for source, want := range map[string]string{
		`a "b c" d && e & f`:             `[a][b c][d];[e];[f];`,
		`setx PATH "%PATH%;C:\x"`:        `[setx][PATH][C:\Windows;C:\x];`,
		`a %NONE% 100% "" %%`:            `[a][%NONE%][100%][][%%];`,
		`a > b`:                          "",
		`SETX /m path C:\app;%PATH%`:     `[SETX][/m][path][C:\app;C:\Windows];`,
		`setx.exe /M A b=c,d && mkdir x`: `[setx.exe][/M][A][b=c,d];[mkdir][x];`,
		`mkdir a;b`:                      "", `a ;b`: "", `setx;a`: "",
		`a && `:       "",
		`a %UNKNOWN%`: "",
	} {
		got, err := script.Cmd(source, env)
		if err != nil {
			got = nil
		}
		if (want == "") != (err != nil) || format(got) != want {
			t.Errorf("%s: %s, %v, want %s", source, format(got), err, want)
		}
	}
}

func TestNames(t *testing.T) {
	for source, want := range map[string]string{
		`A=1 go build && echo "do not make it" 'go x' # git`:            "go echo",
		"if [ -n \"$x\" ]; then make x; fi; (cd a; env B=1 /go/bin/go)": "[ make cd /go/bin/go",
		"echo $(git describe) `make x`":                                 "echo",
		"for i in go; do $i x | \"apk\" y; done":                        " apk",
		`mkdir C:\x & "go" build (`:                                     "mkdir go",
	} {
		if got := strings.Join(script.Names(source), " "); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// FuzzScript reads arbitrary lines. What is accepted has a name for each command, and patterns
// that package path knows, or refuses with an error.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		"mkdir -p /a && echo \"$A\" > b; c ${LIST:-x} *", "a | b | c", "<<E\nE",
		"a `b` $(c) $((1))", `a "%PATH%" ^`, "a=b", "[ a ] {a,b}", "(cd a; { b; } > c)",
		"[ -f a ] && for x in *; do y $(cat $x); done", "[[ -s $A ]] || exit 1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		shell, _ := script.Shell(source, script.Options{Env: env})
		asked, _ := script.Shell(source, script.Options{Env: env, Bash: true, Files: script.Files{
			Test: func(_ []script.Command, op, name string) (bool, error) { return len(op+name)%2 == 0, nil },
			Match: func(_ []script.Command, w script.Word) ([]string, error) {
				return []string{w.Text, w.Pattern}, nil
			},
			Print: func(before []script.Command, c script.Command) (string, error) { return c.String(), nil },
		}})
		cmd, _ := script.Cmd(source, env)
		depth := 0
		for _, c := range asked {
			if depth += c.Group; depth < 0 {
				t.Errorf("%q ends a group that did not begin", source)
			}
		}
		if depth != 0 {
			t.Errorf("%q does not end a group", source)
		}
		for _, c := range slices.Concat(shell, asked, cmd) {
			if len(c.Args) == 0 {
				t.Errorf("%q has a command without a name", source)
			}
			for _, w := range c.Args {
				_, _ = path.Match(w.Pattern, w.Text)
			}
		}
	})
}
