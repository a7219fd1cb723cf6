//go:build linux

package explore

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// elsewhere makes the release in another directory, from a copy of the product as another user may
// have it, and into a store of its own: the same bytes.
func (w *world) elsewhere() {
	if w.exists("else") {
		return
	}
	w.script = append(w.script, "exec cp -r src else/deep/src")
	must(w.t, os.MkdirAll(w.path("else/deep"), 0o755))
	must(w.t, os.CopyFS(w.path("else/deep/src"), os.DirFS(w.path("src"))))
	must(w.t, os.Symlink("src", w.path("else/deep/link")))
	how := drawCondition(w.t)
	how.env = append(how.env, "HOME="+w.path("else/home"))
	if how.umask = pick(w.t, "umask", "", "077", "002"); how.umask != "" && w.p.git {
		w.mask(how.umask, "else/deep/src")
	}
	args := append([]string{"release"}, w.makes(w.now)...)
	made := "else/deep/made"
	switch pick(w.t, "from", "beside", "inside", "link", "defaults") {
	case "beside":
		w.ok(w.runAs("else/deep", how, append(args, "-product=src/slipway.yaml", "-out=made")...))
	case "inside":
		made = "else/deep/src/deep/er/out"
		w.ok(w.runAs("else/deep",
			how, append(args, "-product=./src/slipway.yaml", "-store=src/deep/store/", "-out=src/deep/er/out/")...))
	case "link":
		w.ok(w.runAs("else/deep",
			how, append(args, "-product=link/slipway.yaml", "-out=link/../made", "-store=link/.slipway")...))
	case "defaults":
		made = "else/deep/src/dist"
		w.ok(w.runAs("else/deep/src", how, args...))
	}
	w.same("another directory", made)
	remove(w.path("else"))
}

// mask takes permissions from the files of a directory, as git does that clones with a umask. It
// gives those that the umask leaves.
func (w *world) mask(umask, dir string) {
	w.script = append(w.script, "# "+dir+" as cloned with umask "+umask)
	keep := map[string]fs.FileMode{"077": 0o700, "002": 0o775}[umask]
	must(w.t, filepath.WalkDir(w.path(dir), func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(w.path(dir), path)
		if err != nil || strings.HasPrefix(name, ".git/") || e.Type() == fs.ModeSymlink {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o666)
		if e.IsDir() || info.Mode()&0o100 != 0 {
			mode = 0o777
		}
		return os.Chmod(path, mode&keep)
	}))
}

// same compares a release with that in out. Signatures and what names them may differ.
func (w *world) same(what, dir string) { w.sameAs(what, "out", dir) }

// sameAs compares two releases.
func (w *world) sameAs(what, was, dir string) {
	key := w.now.key
	w.now.key = "any"
	diff := differ(modeless(w.unsigned(w.tree(was))), modeless(w.unsigned(w.tree(dir))))
	w.now.key = key
	var others []string
	for l := range strings.Lines(diff) {
		name := strings.TrimSpace(l[2:])
		if !strings.HasPrefix(name, "provenance.json") && name != ".gitignore" &&
			(w.now.key == "" || name != "release.lock.json") {
			others = append(others, strings.TrimSpace(l))
		}
	}
	if len(others) > 0 {
		w.fail(nil, "%s gives other files:\n%s", what, strings.Join(others, "\n"))
	}
}

// modeless is a tree without the modes of files, which follow the umask.
func modeless(tree map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range tree {
		_, out[name], _ = strings.Cut(text, " ")
	}
	return out
}
