package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"pgregory.net/rapid"
)

// shellProduct is a product whose only image has what RUN lines make in /o.
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
	"V=% D=app-$V && mkdir $D", "A=% B=$A; echo $B > out", "A=% && B=$A-$A; echo \"$B\" > out", "V=% D=$V; export D && echo $D > out",
	`echo "${X:-%}" > out`, `X=1; echo "${X:+%}" > out`, `echo ${X:-%} > out`, `D="${NOPE:-%}"; mkdir "$D"`,
	"ln -s a/deep l && cd l && cd .. && touch x", "ln -s a/deep l && cd l/.. && touch y", "cd a && cd deep && cd ../.. && touch z", "ln -s a l && cd l/deep && cd .. && touch w",
	`OPTS="a b" && export X=$OPTS && echo "$X" > out`, `OPTS=% && export X="$OPTS" && echo $X > out`, `export X=% && echo "$X" > out`,
	"IFS=,; A=c,d; mkdir $A", "IFS=,; A=c,d; echo $A > out", "A=c,d; mkdir $A",
	"echo x > f1 > /dev/null", "echo x > f1 >&2", "echo x > f1", "echo x > f1 2> /dev/null", "echo x > /dev/null",
	"echo .* > out", "mkdir h && cp -r b/.* h", "echo b/.h* > out", "echo b/.?id > out", "echo a/* > out", "cp b/* . && cp b/.h* c",
	"mkdir d && chmod 1777 d && chmod % d", "mkdir d && chmod 2755 d && chmod % d", "mkdir -m % d", "chmod % a/f", "chmod -R % a", "touch t && chmod 4755 t && chmod % t",
	"tar -xf t.tar", "mkdir d && tar -xf t.tar -C d", "tar -xf t.tar y && touch z",
	"mkdir c && cp a/f b/f c", "mkdir c && mv a/f b/f c", "mkdir c && cp a/f a/f c", "mkdir c && cp -r a b c", "cp -p a/f c", "cp -r a/. c",
	"mkdir k && ln -s k l && rm -rf l/", "mkdir k && ln -s k l && rmdir l/", "mkdir k && ln -s k l && mv l/ m", "ln -s a l && rm -r l", "ln -s a/f l && rm l",
	"for i in p q; do echo $i > $i.txt; done", "cat a/f b/f > out", "printf '%s-%s' x y z > out", "sed -i s/one/two/ a/f", "install -D a/f i/j/k", "install -m 600 a/f i",
	"if [ \"$X\" = \"\" ]; then touch e; fi", "echo y >> a/f", "mv a c && ln -s c/f a", "rm -rf a/deep b", "case x% in x*) touch yes;; esac", "basename /p/q.txt .txt > out",
	"echo $(basename a/f) > out", "false || touch or", "true && touch and", "touch a/n && cp a/n a/m && rm a/n",
}

// words fill in for % of a piece.
var shellWords = map[string][]string{
	"word": {"1.2", "x", "'q'", `"q"`, `'a b'`, `"a b"`, "x-$HOME_", "''"},
	"mode": {"a=rwx", "u=rwx,g=rx,o=", "u+s,g=rx", "0750", "755", "+t", "g-s", "o+w,u-x", "a+X", "=r", "7777", "u=g"},
}

// shell builds an image of RUN lines: if slipway takes them, it makes what a shell makes.
func (w *world) shell() {
	if _, err := exec.LookPath("sh"); err != nil {
		return
	}
	for n := range rapid.IntRange(2, 5).Draw(w.t, "shells") {
		var parts []string
		for range pick(w.t, "parts", 1, 1, 1, 2) {
			piece := pick(w.t, "piece", shells...)
			kind := map[bool]string{true: "mode", false: "word"}[strings.Contains(piece, "chmod") || strings.Contains(piece, " -m ")]
			if !strings.Contains(piece, "%s") {
				piece = strings.ReplaceAll(piece, "%", pick(w.t, kind, shellWords[kind]...))
			}
			parts = append(parts, piece)
		}
		w.shellLine(strings.Join(parts, " && "), fmt.Sprintf("shell%d", n))
	}
}

func (w *world) shellLine(line, dir string) {
	defer remove(w.path(dir))
	must(w.t, os.MkdirAll(w.path(dir+"/want"), 0o755))
	for name, text := range shellFiles {
		for _, to := range []string{"/ctx/", "/want/"} {
			w.write(dir+to+name, text)
		}
	}
	for _, to := range []string{"/ctx/", "/want/"} {
		must(w.t, os.WriteFile(w.path(dir+to+"t.tar"), replacing(w.t), 0o600))
		must(w.t, os.Chmod(w.path(dir+to+"t.tar"), 0o644))
	}
	w.write(dir+"/slipway.yaml", shellProduct)
	w.write(dir+"/Dockerfile", "FROM base\nWORKDIR /o\nCOPY . .\nRUN "+line+"\n")
	w.script = append(w.script, "# "+dir+": RUN "+line)
	r := w.run("build", "-product="+dir+"/slipway.yaml", "-store="+dir+"/store", "-out="+dir+"/out")
	cmd := exec.CommandContext(context.Background(), "sh", "-c", "umask 022; "+line)
	cmd.Dir, cmd.Env = w.path(dir+"/want"), []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	said, err := cmd.CombinedOutput()
	if r.code != 0 {
		return // nobody promises to know all lines
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		w.fail(r, "RUN succeeds where a shell fails: %s\n%s", line, said)
	}
	must(w.t, err)
	want, have := tree(w.t, w.path(dir+"/want")), w.built(dir)
	for name, is := range want {
		if link, ok := strings.CutPrefix(is, "Lrwxrwxrwx "); ok {
			want[name] = "link " + link
		}
	}
	if diff := differ(want, have); diff != "" {
		w.fail(r, "RUN makes other files than a shell: %s\n%s", line, diff)
	}
}

// built returns what the image of a shell product has in /o, in the form of tree.
func (w *world) built(dir string) map[string]string {
	files, err := flatten(filepath.Join(w.path(dir), "store"), filepath.Join(w.path(dir), "out", "release.build.json"))
	must(w.t, err)
	have := map[string]string{}
	for name, is := range files {
		if in, ok := strings.CutPrefix(name, "o/"); ok && in != "" {
			have[in] = is
		}
	}
	return have
}
