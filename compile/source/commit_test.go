package source_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
)

// TestProve compares modules with commits of a repository.
func TestProve(t *testing.T) {
	dir, first := repository(t)
	files(t, dir, map[string]string{
		"go.mod": "module example.com/other\n", "sub/go.mod": "module example.com/demo\n",
		"sub/main.go": "package main\n",
	})
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "commit", "-q", "-m", "second")
	second := run(t, dir, "git", "rev-parse", "HEAD")
	files(t, dir, map[string]string{"sub/main.go": "package changed\n"}) // not committed

	sum := func(commit, in, path string) string {
		var b bytes.Buffer
		if err := zip.CreateFromVCS(&b, module.Version{Path: path, Version: "v1.0.0"}, dir, commit, in); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "zip")
		files(t, filepath.Dir(file), map[string]string{"zip": b.String()})
		h, err := dirhash.HashZip(file, dirhash.Hash1)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, tt := range []struct{ name, path, revision, sum, repository, want string }{
		{"in a directory", "example.com/demo", second, sum(second, "sub", "example.com/demo"), dir, ""},
		{"short", "example.com/demo", second[:9], sum(second, "sub", "example.com/demo"), dir, ""},
		{"at the root", "example.com/other", second, sum(second, "", "example.com/other"), dir, ""},
		{"without go.mod", "example.com/demo", first, sum(first, "", "example.com/demo"), dir, ""},
		{
			"another commit", "example.com/demo", first, sum(second, "sub", "example.com/demo"), dir,
			"the module was not made from that commit",
		},
		{"no such commit", "example.com/demo", strings.Repeat("1", 40), "h1:", dir, "it does not have commit 1111"},
		{"option", "example.com/demo", "--all", "h1:", dir, "it does not have commit --all"},
		{
			"another module", "example.com/none", second,
			"h1:", dir, "no go.mod of that commit declares example.com/none: name a clone",
		},
		{"no repository", "example.com/demo", second, "h1:", t.TempDir(), "not a git repository"},
	} {
		s := product.Source{Name: "demo", Module: tt.path + "@v1.0.0", Revision: tt.revision, Sum: tt.sum}
		got, err := source.Prove(t.Context(), s, tt.repository, t.TempDir())
		switch {
		case tt.want == "" && (err != nil || got != second && got != first):
			t.Errorf("%s: %q, error %v", tt.name, got, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "source demo: comparing it with "+tt.repository)):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	ran := filepath.Join(t.TempDir(), "ran")
	run(t, dir, "git", "config", "core.fsmonitor", "touch "+ran)
	s := product.Source{Name: "demo", Module: "example.com/demo@v1.0.0", Revision: second}
	if _, err := source.Prove(t.Context(), s, dir, t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "the module was not made from that commit") {
		t.Errorf("a repository that names commands: %v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran a command")
	}
}

// TestCommitted checks of which directories a commit has everything.
func TestCommitted(t *testing.T) {
	dir, head := repository(t)
	sub := product.Source{Name: "app", Directory: filepath.Join(dir, "sub")}
	committed := func(what string, s product.Source, want string, made ...string) {
		t.Helper()
		for _, name := range made {
			s.Made = append(s.Made, filepath.Join(s.Directory, name))
		}
		c, ok := source.Committed(t.Context(), s)
		if ok != (want != "") || ok && (c.Hash != head || c.In != want) {
			t.Errorf("%s: %+v, %v", what, c, ok)
		}
	}
	committed("clean", sub, "sub")
	committed("root", product.Source{Directory: dir}, ".")
	committed("declared", product.Source{Directory: dir, Revision: head}, ".")
	committed("declared otherwise", product.Source{Directory: dir, Revision: "v1"}, "")
	files(t, dir, map[string]string{"sub/new": "x"})
	committed("with a new file", sub, "")
	committed("with a new file in what is made", product.Source{Directory: dir}, ".", "sub")
	none := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(none))
	committed("no repository", product.Source{Directory: none}, "")
}
