//go:build linux

package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// shellProduct is a product whose only image has what RUN lines make, each in a directory of its
// own.
const shellProduct = `apiVersion: slipway/v1
name: shell
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: here, directory: ., revision: abc, created: "2025-01-01T00:00:00Z"}]
bases: [{name: base, builtin: scratch}]
images: [{name: s, source: here, dockerfile: {context: ctx, file: Dockerfile}}]
`

// shellFiles are in the working directory of RUN.
var shellFiles = map[string]string{"a/f": "one\n", "a/deep/g": "", "b/f": "two\n", "b/.hid": "hid\n"}

// shells are pieces of RUN lines. What they do is known to the shell of this machine.
var shells = []string{
	"V=% D=app-$V && mkdir $D", "A=% B=$A; echo $B > out", "A=% && B=$A-$A; echo \"$B\" > out",
	"V=% D=$V; export D && echo $D > out",
	`echo "${X:-%}" > out`, `X=1; echo "${X:+%}" > out`, `echo ${X:-%} > out`, `D="${NOPE:-%}"; mkdir "$D"`,
	"ln -s a/deep l && cd l && cd .. && touch x", "ln -s a/deep l && cd l/.. && touch y",
	"cd a && cd deep && cd ../.. && touch z", "ln -s a l && cd l/deep && cd .. && touch w",
	`OPTS="a b" && export X=$OPTS && echo "$X" > out`, `OPTS=% && export X="$OPTS" && echo $X > out`,
	`export X=% && echo "$X" > out`,
	"IFS=,; A=c,d; mkdir $A", "IFS=,; A=c,d; echo $A > out", "A=c,d; mkdir $A",
	"echo x > f1 > /dev/null", "echo x > f1 >&2", "echo x > f1", "echo x > f1 2> /dev/null", "echo x > /dev/null",
	"echo .* > out", "mkdir h && cp -r b/.* h", "echo b/.h* > out", "echo b/.?id > out", "echo a/* > out",
	"cp b/* . && cp b/.h* c",
	"mkdir d && chmod 1777 d && chmod % d", "mkdir -m 1755 d && chmod % d", "mkdir d && chmod 3770 d && chmod % d",
	"mkdir d && chmod 2755 d && chmod % d", "mkdir -m % d", "chmod % a/f",
	"chmod -R % a", "touch t && chmod 4755 t && chmod % t",
	"tar -xf t.tar", "mkdir d && tar -xf t.tar -C d", "tar -xf t.tar y && touch z",
	"mkdir c && cp a/f b/f c", "mkdir c && mv a/f b/f c", "mkdir c && cp a/f a/f c", "mkdir c && cp -r a b c",
	"cp -p a/f c", "cp -r a/. c",
	"mkdir k && ln -s k l && rm -rf l/", "mkdir k && ln -s k l && rmdir l/", "mkdir k && ln -s k l && mv l/ m",
	"ln -s a l && rm -r l", "ln -s a/f l && rm l",
	"for i in p q; do echo $i > $i.txt; done", "cat a/f b/f > out", "printf '%s-%s' x y z > out",
	"sed -i s/one/two/ a/f", "install -D a/f i/j/k", "install -m 600 a/f i",
	"if [ \"$X\" = \"\" ]; then touch e; fi", "echo y >> a/f", "mv a c && ln -s c/f a", "rm -rf a/deep b",
	"case x% in x*) touch yes;; esac", "basename /p/q.txt .txt > out",
	"echo $(basename a/f) > out", "false || touch or", "true && touch and", "touch a/n && cp a/n a/m && rm a/n",
}

// words fill in for % of a piece.
var shellWords = map[string][]string{
	"word": {"1.2", "x", "'q'", `"q"`, `'a b'`, `"a b"`, "x-$HOME_", "''"},
	"mode": {
		"a=rwx", "a=rx", "=rwx", "u=rwx,g=rx,o=", "u+s,g=rx", "0750", "755", "+t", "g-s", "o+w,u-x",
		"a+X", "=r", "7777", "u=g",
	},
}

// shell builds an image of RUN lines: those that slipway takes make what a shell makes.
func (w *world) shell() {
	if _, err := exec.LookPath("sh"); err != nil {
		return
	}
	var lines []string
	for range rapid.IntRange(8, 40).Draw(w.t, "lines") {
		var parts []string
		for range pick(w.t, "parts", 1, 1, 1, 2) {
			piece := pick(w.t, "piece", shells...)
			kind := map[bool]string{
				true:  "mode",
				false: "word",
			}[strings.Contains(piece, "chmod") || strings.Contains(piece, " -m ")]
			if !strings.Contains(piece, "%s") {
				piece = strings.ReplaceAll(piece, "%", pick(w.t, kind, shellWords[kind]...))
			}
			parts = append(parts, piece)
		}
		lines = append(lines, strings.Join(parts, " && "))
	}
	w.shellLines(lines)
	remove(w.path("shell"))
}

// perLine is how many lines of the Dockerfile there are for one of RUN.
const perLine = 3

var atLine = regexp.MustCompile(`Dockerfile:(\d+)`)

// shellLines builds them, without those that slipway refuses: it does not promise to know all
// lines.
func (w *world) shellLines(lines []string) {
	for name, text := range shellFiles {
		w.write("shell/ctx/"+name, text)
	}
	must(w.t, os.WriteFile(w.path("shell/ctx/t.tar"), replacing(w.t), 0o600))
	must(w.t, os.Chmod(w.path("shell/ctx/t.tar"), 0o644))
	w.write("shell/slipway.yaml", shellProduct)
	for len(lines) > 0 {
		var b strings.Builder
		b.WriteString("FROM base\n")
		for n, line := range lines {
			fmt.Fprintf(&b, "WORKDIR /o%d\nCOPY . .\nRUN %s\n", n, line)
		}
		w.write("shell/Dockerfile", b.String())
		w.script = append(w.script, "# shell/Dockerfile:\n# "+strings.ReplaceAll(b.String(), "\n", "\n# "))
		r := w.run("stage", "build", "-product=shell/slipway.yaml", "-store=shell/store", "-out=shell/out")
		if r.code == 0 {
			have, err := flatten(w.path("shell/store"), w.path("shell/out/release.build.json"))
			must(w.t, err)
			for n, line := range lines {
				w.sameAsShell(r, line, within(have, fmt.Sprintf("o%d/", n)))
			}
			return
		}
		refused := map[int]bool{}
		for _, at := range atLine.FindAllStringSubmatch(r.stderr, -1) {
			n, err := strconv.Atoi(at[1])
			must(w.t, err)
			refused[(n-2)/perLine] = true
		}
		var others []string
		for n, line := range lines {
			if !refused[n] {
				others = append(others, line)
			}
		}
		if len(others) == len(lines) {
			w.fail(r, "it refuses RUN lines, and names none")
		}
		lines = others
	}
}

// sameAsShell runs a line by the shell of this machine, and compares the files.
func (w *world) sameAsShell(r *result, line string, have map[string]string) {
	dir := w.path("shell/want")
	defer remove(dir)
	must(w.t, os.CopyFS(dir, os.DirFS(w.path("shell/ctx"))))
	cmd := exec.CommandContext(context.Background(), "sh", "-c", "umask 022; "+line)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	said, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		w.fail(r, "RUN succeeds where a shell fails: %s\n%s", line, said)
	}
	must(w.t, err)
	want := tree(w.t, dir)
	for name, is := range want {
		if link, ok := strings.CutPrefix(is, "Lrwxrwxrwx "); ok {
			want[name] = "link " + link
		}
	}
	if diff := differ(want, have); diff != "" {
		w.fail(r, "RUN makes other files than a shell: %s\n%s", line, diff)
	}
}

// within returns the files of a directory.
func within(all map[string]string, dir string) map[string]string {
	some := map[string]string{}
	for name, is := range all {
		if in, ok := strings.CutPrefix(name, dir); ok && in != "" {
			some[in] = is
		}
	}
	return some
}
