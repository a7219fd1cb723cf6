//go:build linux

package explore

import (
	"os"
	"strings"

	"pgregory.net/rapid"
)

// tamper changes a byte of any file of a release: verify refuses it.
func (w *world) tamper() {
	if w.now.key == "" && maybe(w.t, 2, "sums of others") {
		text, err := os.ReadFile(w.path("out/SHA256SUMS"))
		must(w.t, err)
		w.write("others", strings.ReplaceAll(string(text), "0", "1"))
		w.script = append(w.script, "# others: SHA256SUMS of another release")
		if r := w.reads("verify", "-sums=others", "out"); r.code == 0 {
			w.fail(r, "the directory has other files than the checksums that were named")
		}
		must(w.t, os.Remove(w.path("others")))
		return
	}
	must(w.t, os.CopyFS(w.path("tampered"), os.DirFS(w.path("out"))))
	defer remove(w.path("tampered"))
	var files []string
	for _, name := range names(w.tree("tampered")) {
		if !strings.HasSuffix(name, "/") && name != ".gitignore" && (w.now.key != "" || name != "SHA256SUMS") &&
			!strings.HasPrefix(name, "SHA256SUMS.") {
			files = append(files, name)
		}
	}
	name := pick(w.t, "file", files...)
	data, err := os.ReadFile(w.path("tampered/" + name))
	must(w.t, err)
	if len(data) == 0 {
		return
	}
	data[rapid.IntRange(0, len(data)-1).Draw(w.t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(w.t, "by"))
	must(w.t, os.WriteFile(w.path("tampered/"+name), data, 0o600))
	w.script = append(w.script, "exec cp -r out tampered", "# a byte of tampered/"+name+" changed")
	args := []string{"verify"}
	if w.now.key != "" {
		args = append(args, "-key="+w.now.key)
	}
	if r := w.reads(append(args, "tampered")...); r.code == 0 {
		w.fail(r, "a changed byte of %s is not noticed", name)
	}
}

// volumes divides a bundle into as many volumes as it can: names of one image stay together.
func (w *world) volumes() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	path := pick(w.t, "bundle", all...)
	defer remove(w.path("volumes"))
	for _, size := range []string{"10kB", "100kB", "700kB", "1MB", "2MB", "3MB", "5MB"} {
		r := w.run("airgap", "split", path, "-out=volumes", "-max-size="+size)
		if r.code != 0 {
			continue
		}
		in := map[string]string{}
		for _, v := range w.bundles("volumes") {
			for _, f := range strings.Fields(w.ok(w.reads("airgap", "inspect", "-format=digests", v)).stdout) {
				_, digest, _ := strings.Cut(f, "@")
				if other := in[digest]; other != "" && other != v {
					w.fail(r, "%s is in %s, too, with another name", f, other)
				}
				in[digest] = v
			}
		}
		return
	}
}
