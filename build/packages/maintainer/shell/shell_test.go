package shell_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
)

// scripts print what follows, and end with a status. Each prints the same in dash, or bash.
var scripts = []struct {
	script, want string
	status       int
}{
	{`echo a b  c`, "a b c\n", 0},
	{`echo 'a\tb'`, "a\tb\n", 0},
	{`printf '%s-%03d|%-4s|\n' a 7 b c`, "a-007|b   |\nc-000|    |\n", 0},
	{`printf '%b' 'a\nb\c'; printf '\101\n'`, "a\nbA\n", 0},
	{`x=1; echo "$x${x}y" '$x' \$x "\$x"`, "11y $x $x $x\n", 0},
	{`echo ${u-a} ${u:-b} ${u+c}. ${u=d} $u`, "a b . d d\n", 0},
	{`u=; echo "${u-a}${u:-b}${u+c}${u:+d}"`, "bc\n", 0},
	{
		`x=usr/lib/libc.so.6; echo ${x#*/} ${x##*/} ${x%.*} ${x%%.*} ${#x}`,
		"lib/libc.so.6 libc.so.6 usr/lib/libc.so usr/lib/libc 17\n", 0,
	},
	{`x='a*b'; echo "${x#'a*'}" "${x%"*b"}"`, "b a\n", 0},
	{`set -- 'a b' c; for i in "$@"; do echo "<$i>"; done; echo $# "$*" $1`, "<a b>\n<c>\n2 a b c a b\n", 0},
	{`set --; for i in "$@" ${1+"$@"}; do echo "<$i>"; done; echo "$#"`, "0\n", 0},
	{
		`set -- 'a b' ''; for i in ${1+"$@"}; do echo "<$i>"; done; for i in x"$@"y; do echo "<$i>"; done`,
		"<a b>\n<>\n<xa b>\n<y>\n", 0,
	},
	{`IFS=:; x=a::b:; set -- $x; echo $#; for i; do echo "<$i>"; done`, "3\n<a>\n<>\n<b>\n", 0},
	{`IFS=', '; x='a , b,,c '; set -- $x; for i; do echo "<$i>"; done`, "<a>\n<b>\n<>\n<c>\n", 0},
	{`x="  a  b "; set -- $x; echo "$#$1"; set -- x$x; echo $#`, "2a\n3\n", 0},
	{`x=$(printf 'a\n\n\n'); echo "[$x]" "[` + "`echo b`" + `]"`, "[a] [b]\n", 0},
	{`echo $((1+2*3)) $((7/2)) $((7%2)) $((1<2)) $((2==3)) $((1?5:6)) $((0x10))`, "7 3 1 1 0 5 16\n", 0},
	{`x='2 * 100 + 1'; echo $(($x)) $(($(echo 1 + 1))) $((x=3)) $x; y=4; echo $((y+1)) $(($y*-1))`, "201 2 3 3\n5 -4\n", 0},
	{`i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done`, "1\n3\n", 0},
	{`i=0; until [ $i -ge 2 ]; do i=$((i+1)); echo $i; done`, "1\n2\n", 0},
	{`for a in 1 2; do for b in 1 2; do [ $b = 2 ] && continue 2; echo $a$b; done; done`, "11\n21\n", 0},
	{`case configure in abort*|failed) echo a;; conf*) echo b;; *) echo c;; esac`, "b\n", 0},
	{`case 'a*' in 'a*') echo q;; esac; case ab in 'a*') echo no;; a[!c]) echo yes;; esac`, "q\nyes\n", 0},
	{`case "" in "") echo e;; esac; case a in [b-z]) echo no;; ?) echo one;; esac`, "e\none\n", 0},
	{`f() { echo $1; return 3; }; f x; echo $?`, "x\n3\n", 0},
	{`f() { local a b=2; a=1; echo $a$b; }; a=z; f; echo $a$b`, "12\nz\n", 0},
	{`f() { x=2; }; x=1; (f); echo $x; f; echo $x`, "1\n2\n", 0},
	{`echo b; echo a | cat; echo c | { read x; echo "<$x>"; }`, "b\na\n<c>\n", 0},
	{`printf 'a b c\nd\\e\n' | while read x y; do echo "$x/$y"; done`, "a/b c\nde/\n", 0},
	{`printf 'a:b:c\n' | { IFS=: read -r x y; echo "$x $y"; }`, "a b:c\n", 0},
	{"cat <<E\na $((1+1)) \\$x `echo b`\nE\ncat <<'E'\n$x \\$\nE\ncat <<-E\n\ttab\n\tE\n", "a 2 $x b\n$x \\$\ntab\n", 0},
	{`x=1 eval 'echo $x'; eval "y='a  b'"; echo "$y"`, "1\na  b\n", 0},
	{`x=1; unset x; echo ${x-unset}; readonly r=1; echo $r`, "unset\n1\n", 0},
	{`trap 'echo bye' EXIT; echo hi; exit 4`, "hi\nbye\n", 4},
	{`trap 'echo $?; exit 0' 0; false; set -e; (exit 7)`, "7\n", 0},
	{`echo a >&2; echo b 2>&1; { echo c; echo d >&2; } 2>/dev/null`, "b\nc\n", 0},
	{`exec 3>&1; echo a >&3; exec >/dev/null; echo b; echo c >&3`, "a\nc\n", 0},
	{`a=$(exit 3); echo $?; a=$(exit 4)b$(true); echo $?; false; a=1; echo $?`, "3\n0\n0\n", 0},
	{
		`while getopts ab:c o -a -b val -cx -- rest; do echo "$o $OPTARG"; done 2>/dev/null; echo $OPTIND`,
		"a \nb val\nc \n? \n6\n", 0,
	},
	{`set -- -n x; while getopts n:q o; do echo $o$OPTARG; done; shift $((OPTIND-1)); echo $#`, "nx\n0\n", 0},
	{`[ a = a -a b != c ] && echo 1; [ ! -e /nothing ] && echo 2; [ -n "" -o x ] && echo 3; [ "" ] || echo 4`, "1\n2\n3\n4\n", 0},
	{`test -d / && echo d; test '(' a = a ')' && echo p; test ! a = b && echo n; [ 3 -gt 2 ] && echo g`, "d\np\nn\ng\n", 0},
	{`[ ! "" ] && echo a; [ "!" = "!" ] && echo b; [ -z ] && echo c; [ "-n" = "-n" ] && echo d`, "a\nb\nc\nd\n", 0},
	{`if false; then echo a; elif true; then echo b; else echo c; fi`, "b\n", 0},
	{`! true; echo $?; ! false; echo $?`, "1\n0\n", 0},
	{`command -v echo; command -v nosuchthing; echo $?; f() { :; }; command -v f`, "echo\n127\nf\n", 0},
	{`cd /usr; pwd; cd ..; pwd; (cd usr; pwd); pwd`, "/usr\n/\n/usr\n/\n", 0},
	{`umask; umask 077; umask`, "0022\n0077\n", 0},
	{`x=abc; x=$x$x; echo "$x"; echo "a$(echo "b$(echo c)")"`, "abcabc\nabc\n", 0},
	{`echo ~/x; HOME=/h; echo ~ ~/y "~"`, "/root/x\n/h /h/y ~\n", 0},
	{`echo "a
b" a\
c`, "a\nb ac\n", 0},
	{`set -- a b c; shift; echo $1 $#; shift 2; echo $#`, "b 2\n0\n", 0},
	{`x='$y'; y=1; eval echo $x; echo {a,b}`, "1\n{a,b}\n", 0},
	{`f() { for i in 1 2; do return 5; done; }; f || echo $?`, "5\n", 0},
	{`echo a; . /lib/part.sh; echo $part $?`, "a\nin part\nyes 0\n", 0},
	{`echo "${x:-"a b"}" ${x:-'c d'} "${x:-'e'}"`, "a b c d 'e'\n", 0},
	{`set -f; echo *; set +f; cd /lib; echo *.sh no*such`, "*\npart.sh no*such\n", 0},
	{`echo $0 | cat; echo "$@"`, "script\n\n", 0},
	{`x=1; { x=2; } ; echo $x; echo z | { x=3; cat; }; echo $x`, "2\nz\n2\n", 0},
	// set -e
	{`set -e; false; echo no`, "", 1},
	{`set -e; false || true; if false; then :; fi; ! true; false && true; echo yes`, "yes\n", 0},
	{`set -e; true && false; echo no`, "", 1},
	{`set -e; f() { false; echo in; }; f || echo no; f && :; echo yes`, "in\nin\nyes\n", 0},
	{`set -e; f() { false; echo in; }; f; echo no`, "", 1},
	{`set -e; (false; echo in); echo no`, "", 1},
	{`set -e; (false; echo in) || echo out`, "in\n", 0},
	{`set -e; x=$(false); echo no`, "", 1},
	{`set -e; x=$(false; echo in) || echo "out$x"`, "out\n", 0},
	{`set -e; echo $(false) yes`, "yes\n", 0},
	{`set -e; f() { local x=$(false); echo yes; }; f`, "yes\n", 0},
	{`set -e; false | true; echo yes; true | false; echo no`, "yes\n", 1},
	{`set -e; while false; do :; done; for i in a; do false; done; echo no`, "", 1},
	{`set -e; case a in a) false;; esac; echo no`, "", 1},
	{`set -e; { false; } || echo a; if ! false; then echo b; fi; ! { false; }; echo c`, "a\nb\nc\n", 0},
	{`set -e; eval false || echo a; eval false; echo no`, "a\n", 1},
	{`set -e; trap 'echo t' EXIT; false`, "t\n", 1},
	{`set -u; echo ${x-a}; echo $x; echo no`, "a\n", 2},
	{`echo ${x?missing}; echo no`, "", 2},
	{`nosuchcommand; echo $?`, "127\n", 0},
	{`: > /nodir/x; echo no`, "", 2},
	{`true > /nodir/x; echo $?`, "2\n", 0},
	{`exit 3 | true; echo $?; return 6; echo no`, "0\n", 6},
	{
		`#!/bin/bash
set -e; x=$(false; echo in); echo $x; a=(1 "2 3"); a+=(4); echo ${#a[@]} "${a[1]}"; [[ ab == a* && x != y ]] && echo m`,
		"in\n3 2 3\nm\n", 0,
	},
	{
		`#!/bin/bash
x=hello; echo ${x^^} ${x:1:3} ${x/l/L} ${x//l/L}; echo {a,b}c; echo 'a\tb'; echo -e 'a\tb'; ((1+1)) && echo ar; for ((i=0;i<2;i++)); do echo $i; done`,
		"HELLO ell heLlo heLLo\nac bc\na\\tb\na\tb\nar\n0\n1\n", 0,
	},
	{`#!/bin/bash
set -o pipefail; false | true; echo $?; cat <<< "a b"; echo a &>/dev/null; echo $'x\ty'`, "1\na b\nx\ty\n", 0},
	{`#!/bin/sh -e
false
echo no`, "", 1},
}

// cat is the one program of these tests.
func cat(_ context.Context, c *shell.Call) (int, error) {
	if c.Args[0] != "cat" {
		return 127, nil
	}
	_, err := c.Out.Write(c.In.All())
	return 0, err
}

func small(t testing.TB) *tree.Tree {
	t.Helper()
	files := tree.New(nil)
	for _, dir := range []string{"/usr", "/lib", "/root", "/tmp", "/usr/bin"} {
		if err := files.MkdirAll(dir, &tree.Node{Kind: layer.Dir, Mode: 0o755}); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.WriteText("/lib/part.sh", []byte("echo in part\npart=yes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return files
}

func run(ctx context.Context, files *tree.Tree, script string, limits shell.Limits) (string, string, int, error) {
	m := &shell.Machine{Tree: files, Run: cat, Limits: limits}
	out, errs := m.NewBuffer(), m.NewBuffer()
	sh := m.New("script", []string{"script"}, map[string]string{"HOME": "/root", "PATH": "/usr/bin:/bin"}, m.Null(), out, errs)
	status, err := sh.Script(ctx, []byte(script))
	return out.Text(), errs.Text(), status, err
}

func TestScripts(t *testing.T) {
	for _, s := range scripts {
		out, errs, status, err := run(t.Context(), small(t), s.script, shell.Limits{})
		if err != nil || out != s.want || status != s.status {
			t.Errorf("%s\nprints %q and ends with %d (%v), not %q and %d\n%s", s.script, out, status, err, s.want, s.status, errs)
		}
	}
}

// TestAsRealShells compares the table with the shells of this machine, if it is asked to.
func TestAsRealShells(t *testing.T) {
	root := os.Getenv("SLIPWAY_SHELL_ROOT")
	if root == "" {
		t.Skip("SLIPWAY_SHELL_ROOT names no directory with a Debian to chroot into")
	}
	for _, s := range scripts {
		name := "sh"
		if strings.HasPrefix(s.script, "#!/bin/bash") {
			name = "bash"
		}
		args := []string{root, "/bin/" + name}
		if strings.HasPrefix(s.script, "#!/bin/sh -e") {
			args = append(args, "-e")
		}
		c := exec.CommandContext(t.Context(), "chroot", append(args, "-c", s.script, "script")...)
		c.Env = []string{"HOME=/root", "PATH=/usr/bin:/bin"}
		c.Dir = "/"
		out, err := c.Output()
		var exit *exec.ExitError
		status := 0
		if errors.As(err, &exit) {
			status = exit.ExitCode()
		}
		if string(out) != s.want || status != s.status {
			t.Errorf("%s\nprints %q and ends with %d in %s, not %q and %d", s.script, out, status, name, s.want, s.status)
		}
	}
}
