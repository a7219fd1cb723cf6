package source_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/slipway-dev/slipway/product"
)

func TestDirectory(t *testing.T) {
	dir, head := repository(t)
	want := product.Source{
		Name: "app", Directory: dir,
		Revision: head, Created: time.Date(2024, 5, 6, 5, 8, 9, 0, time.UTC),
	}

	tree := fetch(t, product.Source{Name: "app", Directory: dir})
	if tree.Fixed || tree.Dir != dir || tree.Version() != head {
		t.Errorf("the tree is %+v of version %s", tree, tree.Version())
	}
	same(t, "clean", tree.Source, want)

	files(t, dir, map[string]string{".slipway/oci-layout": "{}", "made/of [x]/SHA256SUMS": ""})
	same(t, "with what slipway makes",
		fetch(t, product.Source{Name: "app", Directory: dir}, ".slipway", "made/of [x]", "none").Source, want)
	want.Revision += "-dirty"
	run(t, dir, "git", "add", "made")
	same(t, "with what git has where slipway writes",
		fetch(t, product.Source{Name: "app", Directory: dir}, ".slipway", "made").Source, want)
	same(t, "with what slipway makes elsewhere",
		fetch(t, product.Source{Name: "app", Directory: dir}, ".slipway", "made/of x").Source, want)
	want.Revision = head
	run(t, dir, "git", "rm", "-q", "-r", "--cached", "made")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "made")),
		os.RemoveAll(filepath.Join(dir, ".slipway"))); err != nil {
		t.Fatal(err)
	}

	// An untracked file may be compiled or copied, so the commit alone does not
	// identify the image's content.
	files(t, dir, map[string]string{"untracked.go": "package main\n"})
	want.Revision += "-dirty"
	same(t, "with an untracked file", fetch(t, product.Source{Name: "app", Directory: dir}).Source, want)
	if err := os.Remove(filepath.Join(dir, "untracked.go")); err != nil {
		t.Fatal(err)
	}

	sub := filepath.Join(dir, "sub")
	files(t, dir, map[string]string{"main.go": "package main\n\nfunc main() { println() }\n"})
	same(t, "dirty", fetch(t, product.Source{Name: "app", Directory: dir}).Source, want)
	want.Directory, want.Revision = sub, head
	same(t, "dirty elsewhere", fetch(t, product.Source{Name: "app", Directory: sub}).Source, want)

	// Git is not asked for what slipway.yaml gives.
	given := product.Source{Name: "app", Directory: dir, Revision: "given", Created: time.Unix(1, 0).UTC()}
	same(t, "given", fetch(t, given).Source, given)
	revision := product.Source{Name: "app", Directory: dir, Revision: "given"}
	want.Directory, want.Revision = dir, "given"
	same(t, "revision given", fetch(t, revision).Source, want)
}

// TestHookOfAnotherRepository runs as in a git hook, which exports the
// variables of its own repository.
func TestHookOfAnotherRepository(t *testing.T) {
	dir, head := repository(t)
	other, _ := repository(t)
	files(t, other, map[string]string{"second": "x"})
	run(t, other, "git", "add", ".")
	run(t, other, "git", "commit", "-q", "-m", "second")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	if got := fetch(t, product.Source{Name: "app", Directory: dir}).Source.Revision; got != head {
		t.Errorf("the revision is %s, want %s", got, head)
	}
}

// TestRepositoryOfOthers checks that git starts nothing, whatever the settings of a repository
// are, and reports its commit nevertheless.
func TestRepositoryOfOthers(t *testing.T) {
	for _, setting := range []string{
		"core.fsmonitor", "core.FSMonitor", "filter.x.clean", "include.path", "core.hooksPath", "core.sshCommand",
		"gpg.program", "alias.status",
	} {
		dir, head := repository(t)
		ran := filepath.Join(t.TempDir(), "ran")
		files(t, dir, map[string]string{".git/info/attributes": "* filter=x\n"})
		run(t, dir, "git", "config", setting, "touch "+ran+"; false")
		for _, own := range []bool{false, true} {
			if got := fetch(t, product.Source{Name: "app", Directory: dir, Own: own}).Source.Revision; got != head {
				t.Errorf("%s: the revision is %s, want %s", setting, got, head)
			}
		}
		fetch(t, product.Source{Name: "app", Directory: dir, Revision: "a", Created: time.Unix(1, 0)})
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s ran a command", setting)
		}
	}
	dir, _ := repository(t)
	run(t, dir, "git", "config", "filter.x.clean", "false")
	files(t, dir, map[string]string{".git/info/attributes": "made filter=x\n", "made": "other"})
	run(t, dir, "git", "-c", "filter.x.clean=cat", "add", "-f", "made")
	run(t, dir, "git", "commit", "-q", "-m", "made")
	files(t, dir, map[string]string{"made": "changed"})
	refused(t, product.Source{Name: "app", Directory: dir}, "source app",
		`whether made has changed is not known without its filter "x", which is not run: run git status there`)
}

func TestDirectoryWithoutGit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	s := product.Source{Name: "app", Directory: dir}
	const remedy = "commit the directory to git, or give revision and created in slipway.yaml"
	refused(t, s, "source app", "not a git repository", remedy)
	s.Revision = "given"
	refused(t, s, "source app", "not a git repository", remedy)

	run(t, dir, "git", "init", "-q")
	refused(t, product.Source{Name: "app", Directory: dir}, "source app", remedy)

	t.Setenv("PATH", t.TempDir())
	refused(t, product.Source{Name: "app", Directory: dir}, "source app", `"git"`, remedy)

	refused(t, product.Source{Name: "app", Directory: filepath.Join(dir, "none")}, "source app", "not a directory")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, product.Source{Name: "app", Directory: file}, "source app", "not a directory")
}

// repository makes a git repository of one commit and returns its
// directory and the hash of HEAD.
func repository(t *testing.T) (dir, head string) {
	t.Helper()
	dir = t.TempDir()
	for k, v := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "c",
		"GIT_COMMITTER_EMAIL": "c@example.com",
		"GIT_AUTHOR_DATE":     "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-05-06T07:08:09+02:00",
	} {
		t.Setenv(k, v)
	}
	files(t, dir, map[string]string{"main.go": "package main\n\nfunc main() {}\n", "sub/file": "x"})
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "commit", "-q", "-m", "first")
	return dir, run(t, dir, "git", "rev-parse", "HEAD")
}

func same(t *testing.T, what string, got, want product.Source) {
	t.Helper()
	if got.Name != want.Name || got.Directory != want.Directory || got.Revision != want.Revision ||
		!got.Created.Equal(want.Created) || got.Created.Location() != time.UTC {
		t.Errorf("%s: the source is %+v, want %+v", what, got, want)
	}
}

func sumOfFile(t *testing.T, path string) string {
	t.Helper()
	h, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(path) })
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(h, "h1:") {
		t.Fatalf("the hash is %q", h)
	}
	return h
}
