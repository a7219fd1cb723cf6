package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gitSettings are settings of a repository that name programs; EVIL is the program.
var gitSettings = map[string]string{
	"fsmonitor": "[core]\n\tfsmonitor = EVIL\n",
	"clean":     "[filter \"x\"]\n\tclean = EVIL\n\tsmudge = EVIL\n\trequired = true\n",
	"process":   "[filter \"x\"]\n\tprocess = EVIL\n",
	"ssh": "[core]\n\tsshCommand = EVIL\n\tgitProxy = EVIL\n[remote \"origin\"]\n\turl " +
		"= ssh://example.com/a\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n",
	"hooks": "[core]\n\thooksPath = HERE\n",
	"pager": "[core]\n\tpager = EVIL\n\teditor = EVIL\n[pager]\n\tlog = EVIL\n\tstatus " +
		"= EVIL\n\tls-files = EVIL\n",
	"diff":        "[diff]\n\texternal = EVIL\n[diff \"x\"]\n\tcommand = EVIL\n\ttextconv = EVIL\n",
	"signature":   "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = EVIL\n[gpg \"ssh\"]\n\tprogram = EVIL\n",
	"alternates":  "[core]\n\talternateRefsCommand = EVIL\n[uploadpack]\n\tpackObjectsHook = EVIL\n",
	"alias":       "[alias]\n\tstatus = !EVIL\n\tlog = !EVIL\n\trev-parse = !EVIL\n",
	"credentials": "[credential]\n\thelper = !EVIL\n[core]\n\taskPass = EVIL\n",
	"ext": "[protocol \"ext\"]\n\tallow = always\n[url \"ext::EVIL \"]\n\tinsteadOf " +
		"= https://\n[remote \"origin\"]\n\turl = https://a\n\tpromisor = true\n",
	"submodule": "[submodule]\n\trecurse = true\n[submodule \"sub\"]\n\tupdate = !EVIL\n\tactive = true\n",
	"worktree":  "[core]\n\tworktree = HERE\n\tfsmonitor = EVIL\n",
	"include":   "[include]\n\tpath = HERE/settings\n",
	"includeIf": "[includeIf \"gitdir:/\"]\n\tpath = HERE/settings\n[includeIf " +
		"\"onbranch:**\"]\n\tpath = HERE/settings\n",
	"configuration": "[extensions]\n\tworktreeConfig = true\n",
}

// described are slipway.yaml files of a product with a chart of rules to judge, by where the
// hostile repository is.
var described = map[string]string{
	"own":   "version: git\nsources: [{name: app, directory: .}]\n",
	"file":  "version: 1.0.0\nsources: [{name: app, directory: .}]\n",
	"other": "version: 1.0.0\nsources: [{name: app, directory: third}]\n",
	"given": "version: 1.0.0\nsources: [{name: app, directory: third, revision: v1, created: 2024-01-01T00:00:00Z}]\n",
	"sub":   "version: git\nsources: [{name: app, directory: .}]\n",
}

const describedRest = `apiVersion: slipway/v1
name: demo
platforms: [linux/amd64]
bases: [{name: static, builtin: static}]
images: [{name: app, source: app, dockerfile: {file: Dockerfile, context: config}}]
release: {templates: [{path: config}]}
`

// hostileTrees puts every setting in every place.
func hostileTrees(*testing.T) (all []hostileCase) {
	for setting, text := range gitSettings {
		for place, yaml := range described {
			all = append(all, hostileCase{
				name: setting + "/" + place,
				make: func(t *testing.T, top, evil string) string {
					return hostileTree(t, top, evil, text, place, yaml)
				},
				// init in the hostile repository itself, the others where slipway.yaml is
				commands: [][]string{{"init", initIn[place]}, {"check"}, {"lint"}},
			})
		}
	}
	return all
}

var initIn = map[string]string{"own": "bare", "file": "bare", "other": "third", "given": "third", "sub": "sub"}

func hostileTree(t *testing.T, top, evil, text, place, yaml string) string {
	t.Helper()
	dir := filepath.Join(top, "tree")
	at := map[string]string{
		"own": dir, "file": dir, "other": filepath.Join(dir, "third"),
		"given": filepath.Join(dir, "third"), "sub": filepath.Join(dir, "sub"),
	}[place]
	put(t, dir, "slipway.yaml", describedRest+yaml)
	put(t, dir, "Dockerfile", "FROM scratch\nCOPY a.yaml /\n")
	put(t, dir, "config/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	put(t, dir, "bare/main.go", "package main\n")
	put(t, at, "main.go", "package main\n\nfunc main() {}\n")
	put(t, at, "go.mod", "module example.com/demo\n\ngo 1.26\n")
	put(t, at, ".gitattributes", "* filter=x diff=x\n")
	put(t, at, ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::"+evil+"\n\tupdate = !"+evil+"\n")
	command(t, at, "git", "init", "-q")
	command(t, at, "git", "add", ".")
	command(t, at, "git", "commit", "-q", "-m", "first")
	if place == "sub" {
		command(t, dir, "git", "init", "-q")
		command(t, dir, "git", "-c", "advice.addEmbeddedRepo=false", "add", ".")
		command(t, dir, "git", "commit", "-q", "-m", "first")
	}
	fill := strings.NewReplacer("EVIL", evil, "HERE", top)
	put(t, top, "settings", "[core]\n\tfsmonitor = "+evil+"\n[filter \"x\"]\n\tclean = "+evil+"\n")
	put(t, at, ".git/config", fill.Replace(text))
	put(t, at, ".git/config.worktree", "[core]\n\tfsmonitor = "+evil+"\n")
	put(t, at, "main.go", "// changed\n")
	for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction"} {
		for _, hooks := range []string{top, filepath.Join(at, ".git", "hooks")} {
			if err := os.Symlink(evil, filepath.Join(hooks, hook)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if place == "file" {
		elsewhere := filepath.Join(top, "elsewhere")
		if err := os.Rename(filepath.Join(at, ".git"), elsewhere); err != nil {
			t.Fatal(err)
		}
		put(t, at, ".git", "gitdir: ../elsewhere\n")
	}
	return dir
}
