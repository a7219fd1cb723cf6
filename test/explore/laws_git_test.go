//go:build linux

package explore

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// The product of a repository has a module beside it, which its go.mod names.
const gitProduct = `apiVersion: slipway/v1
name: repo
version: VERSION
platforms: [linux/amd64]
sources: [{name: here, directory: .}]
bases: [{name: base, builtin: scratch}]
images: [{name: s, source: here, dockerfile: {context: ctx, file: ctx/Dockerfile}}]
charts: [{name: chart, path: chart, source: here, tags: ["{{.Version}}", "{{.Version}}-{{.Revision}}"]}]
`

var gitFiles = map[string]string{
	"app/go.mod": "module example.com/app\n\ngo 1.24\n\nrequire example.com/lib " +
		"v0.0.0\n\nreplace example.com/lib => ../lib\n",
	"app/ctx/motd":                "hello\n",
	"app/ctx/Dockerfile":          "FROM base\nCOPY motd /motd\nLABEL a=b\n",
	"app/chart/Chart.yaml":        "apiVersion: v2\nname: chart\nversion: 0.0.1\n",
	"app/chart/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
	"lib/go.mod":                  "module example.com/lib\n\ngo 1.24\n",
	"lib/lib.go":                  "package lib\n",
}

// repository releases a product from a repository, with a change that is not committed or without:
// what is recorded as of the commit is of it.
func (w *world) repository() {
	defer remove(w.path("repo"))
	for name, text := range gitFiles {
		w.write("repo/"+name, text)
	}
	version := pick(w.t, "version of the repository", "git", "1.0.0")
	w.write("repo/app/slipway.yaml", strings.Replace(gitProduct, "VERSION", version, 1))
	git := func(args ...string) string {
		cmd := exec.CommandContext(w.t.Context(), "git",
			append([]string{"-C", w.path("repo"), "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = w.env()
		out, err := cmd.CombinedOutput()
		if err != nil {
			w.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("tag", "v1.0.0")
	file := pick(w.t, "changed", "", "app/ctx/motd", "lib/lib.go", "app/ctx/more", "app/slipway.yaml")
	hidden := file != "" && file != "app/ctx/more" && maybe(w.t, 3, "hidden")
	if hidden {
		git("update-index", pick(w.t, "mark", "--assume-unchanged", "--skip-worktree"), file)
	}
	if file != "" {
		text, _ := os.ReadFile(w.path("repo/" + file)) // one is new
		w.write("repo/"+file, string(text)+"# changed\n")
		if file == "lib/lib.go" {
			w.write("repo/"+file, "package lib\n\nvar Changed bool\n")
		}
	}
	out := pick(w.t, "out of the repository", "repo/made", "repo/app/ctx", "repo/app", "made")
	if file == "app/ctx/more" && out == "repo/app/ctx" {
		file = "" // what git does not have in the output directory is in no image
	}
	w.script = append(w.script,
		"# repo: a repository with app and lib, tag v1.0.0, changed: "+file+map[bool]string{true: ", hidden"}[hidden])
	args := []string{"release", "-product=repo/app/slipway.yaml", "-store=repo-store", "-binary=false", "-out=" + out}
	if to := maybe(w.t, 2, "registry of the repository"); to {
		args = append(args, fmt.Sprintf("-registry=%s/repo%d", w.host, len(w.script))) // of this step alone
	}
	defer remove(w.path("repo-store"))
	defer remove(w.path("made"))
	r := w.run(args...)
	if r.code != 0 {
		if file == "" {
			w.fail(r, "nothing has changed, and it fails")
		}
		return
	}
	head := git("rev-parse", "HEAD")
	of := w.locked(out).Sources[0].Revision
	switch clean := of == head; {
	case clean && file != "":
		w.fail(r, "%s has changed, and the lock names the commit", file)
	case !clean && file == "":
		w.fail(r, "nothing has changed, and the revision is %s, not %s", of, head)
	case file != "" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-registry") }) &&
		version == "git":
		w.fail(r, "%s has changed, and a version of git is in the registry", file)
	}
}
