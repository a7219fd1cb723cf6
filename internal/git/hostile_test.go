package git_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/git"
)

// placeholder is a part of the name of a setting, in git's list, that can be anything.
var placeholder = regexp.MustCompile(`<[^>]*>|\*`)

// settings returns every setting of git's own documentation, and those that it leaves out.
func settings(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "help", "--config").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{
		"filter.x.clean", "filter.x.smudge", "filter.x.process", "filter.x.required", "diff.x.command",
		"diff.x.textconv", "merge.x.driver", "alias.status", "alias.log",
		"credential.helper", "credential.https://example.com.helper", "submodule.sub.update",
		"remote.origin.uploadpack", "remote.origin.vcs", "extensions.partialClone",
		"extensions.worktreeConfig", "core.useBuiltinFSMonitor", "tar.zip.command", "hook.x.command",
		"hook.x.event", "remote.origin.promisor", "remote.origin.url", "uploadpack.packObjectsHook",
	}
	for name := range strings.FieldsSeq(string(out)) {
		if strings.Contains(name, ".") && !strings.HasPrefix(name, "'") {
			all = append(all, placeholder.ReplaceAllString(name, "x"))
		}
	}
	if len(all) < 500 {
		t.Fatalf("git lists only %d settings", len(all))
	}
	return all
}

// config is the text of a configuration with settings.
func config(names []string, value string) string {
	var b strings.Builder
	for _, name := range names {
		section, rest, _ := strings.Cut(name, ".")
		sub, key := "", rest
		if n := strings.LastIndex(rest, "."); n >= 0 {
			sub, key = ` "`+rest[:n]+`"`, rest[n+1:]
		}
		fmt.Fprintf(&b, "[%s%s]\n\t%s = %q\n", section, sub, key, value)
	}
	return b.String()
}

// everything calls all that this package can ask about a repository.
func everything(t *testing.T, dir string) (changes []string, err error) {
	t.Helper()
	head, err := git.Head(t.Context(), dir)
	if err != nil {
		return nil, err
	}
	_, a := git.Find(t.Context(), dir)
	_, b := git.TagsOf(t.Context(), dir, head.Hash)
	_, c := git.TagsUpTo(t.Context(), dir, head.Hash)
	_, d := git.Tracked(t.Context(), dir, "main.go")
	_, e := git.Files(t.Context(), dir)
	_, f := git.Prefix(t.Context(), dir)
	_, g := git.Resolve(t.Context(), dir, "HEAD")
	_, h := git.ListCommit(t.Context(), dir, head.Hash)
	_, i := git.Show(t.Context(), dir, head.Hash, "main.go")
	_, j := git.Archive(t.Context(), dir, head.Hash, "")
	k := git.Checkout(t.Context(), dir, filepath.Join(t.TempDir(), "to"), head.Hash)
	for n, err := range []error{a, b, c, d, e, f, g, h, i, j, k} {
		if err != nil {
			t.Errorf("question %d: %v", n, err)
		}
	}
	return git.Changes(t.Context(), dir)
}

// TestNoSettingRuns gives a repository every setting of git's documentation, with a program as its
// value, in each place where git reads settings, and asks all that can be asked.
func TestNoSettingRuns(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	ran := filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho $0 $* >> "+ran+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	all := slices.DeleteFunc(settings(t), func(name string) bool { // git refuses other values than its own
		// which has a place of its own
		return slices.Contains(kept, strings.ToLower(name)) || strings.HasPrefix(name, "include")
	})
	text := config(all, program)
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			dir := hostile(t)
			place.put(t, dir, text)
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("changed"), 0o644); err != nil {
				t.Fatal(err)
			}
			changes, err := everything(t, dir)
			// with a filter, git cannot decide whether main.go has changed; a new file is a change
			if err != nil || !slices.Contains(changes, "new") {
				t.Errorf("changes: %q, %v", changes, err)
			}
			if text, err := os.ReadFile(ran); err == nil {
				t.Errorf("a setting ran a program:\n%s", text)
				if err := os.Remove(ran); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// kept are the settings that the view keeps, or whose values git checks before it does anything.
var kept = []string{
	"core.autocrlf", "core.checkstat", "core.eol", "core.filemode", "core.ignorecase", "core.precomposeunicode",
	"core.protecthfs", "core.protectntfs", "core.sparsecheckout",
	"core.sparsecheckoutcone", "core.symlinks", "core.trustctime", "extensions.objectformat", "core.bare",
	"core.repositoryformatversion", "core.worktree", "extensions.worktreeconfig",
	"gitweb.remote_heads", // has an underscore, which git does not read
}

// hostile makes a repository with attributes for every program, and a submodule.
func hostile(t *testing.T) string {
	t.Helper()
	dir := repository(t)
	write(t, dir, "new")
	run(t, dir, "init", "-q", "sub/module")
	write(t, dir, "sub/module/file")
	run(t, filepath.Join(dir, "sub/module"), "add", ".")
	run(t, filepath.Join(dir, "sub/module"), "commit", "-q", "-m", "inner")
	for name, text := range map[string]string{
		".gitattributes": "* filter=x diff=x merge=x\n",
		".gitmodules":    "[submodule \"sub\"]\n\tpath = sub/module\n\turl = ext::sh -c true\n\tupdate = !false\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "add", ".gitattributes", ".gitmodules", "sub")
	run(t, dir, "commit", "-q", "-m", "second")
	return dir
}

// places are where a repository can have settings.
var places = []struct {
	name string
	put  func(t *testing.T, dir, text string)
}{
	{"config", func(t *testing.T, dir, text string) { appendTo(t, dir, ".git/config", text) }},
	{"include", func(t *testing.T, dir, text string) {
		appendTo(t, dir, "settings", text)
		appendTo(t, dir, ".git/config", "[include]\n\tpath = ../settings\n")
	}},
	{"includeIf", func(t *testing.T, dir, text string) {
		appendTo(t, dir, "settings", text)
		appendTo(t, dir, ".git/config",
			"[includeIf \"gitdir:**\"]\n\tpath = ../settings\n[includeIf \"onbranch:**\"]\n\tpath = ../settings\n")
	}},
	{"work tree", func(t *testing.T, dir, text string) {
		appendTo(t, dir, ".git/config", "[extensions]\n\tworktreeConfig = true\n")
		appendTo(t, dir, ".git/config.worktree", text)
	}},
	{"submodule", func(t *testing.T, dir, text string) { appendTo(t, dir, "sub/module/.git/config", text) }},
	{".git file", func(t *testing.T, dir, text string) {
		appendTo(t, dir, ".git/config", text)
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.Rename(filepath.Join(dir, ".git"), elsewhere); err != nil {
			t.Fatal(err)
		}
		appendTo(t, dir, ".git", "gitdir: "+elsewhere+"\n")
	}},
	{"user", func(t *testing.T, dir, text string) {
		appendTo(t, dir, "home/config", text)
		t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "home/config"))
	}},
	{"hooks", func(t *testing.T, dir, text string) {
		program := regexp.MustCompile(`/.*/program`).FindString(text)
		for _, hook := range []string{
			"post-checkout", "post-index-change", "reference-transaction",
			"fsmonitor-watchman", "pre-auto-gc",
		} {
			if err := os.Symlink(program, filepath.Join(dir, ".git/hooks", hook)); err != nil {
				t.Fatal(err)
			}
		}
	}},
}

func appendTo(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	b, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Join([][]byte{b, []byte(text)}, nil), 0o644); err != nil {
		t.Fatal(err)
	}
}
