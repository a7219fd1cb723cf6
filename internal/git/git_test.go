package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/git"
)

// repository makes a repository of one commit and returns its directory.
func repository(t *testing.T) string {
	t.Helper()
	for k, v := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "c",
		"GIT_COMMITTER_EMAIL": "c@example.com",
		"GIT_AUTHOR_DATE":     "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-05-06T07:08:09+02:00",
	} {
		t.Setenv(k, v)
	}
	dir := t.TempDir()
	write(t, dir, "main.go", "sub/file")
	run(t, dir, "init", "-q", "-b", "main")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestHead(t *testing.T) {
	dir := repository(t)
	c, err := git.Head(t.Context(), filepath.Join(dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	hash := run(t, dir, "rev-parse", "HEAD")
	if c.Hash != hash || c.Short() != hash[:12] || c.Time != time.Date(2024, 5, 6, 5, 8, 9, 0, time.UTC) {
		t.Errorf("HEAD is %+v, want %s", c, hash)
	}
}

func TestFind(t *testing.T) {
	dir := repository(t)
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := git.Find(t.Context(), filepath.Join(dir, "sub"))
	if err != nil || r != (git.Repository{Root: filepath.ToSlash(root)}) {
		t.Errorf("the repository is %+v, %v", r, err)
	}
	write(t, dir, "second")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	clone := filepath.Join(t.TempDir(), "clone")
	run(t, dir, "clone", "-q", "--depth=1", "file://"+dir, clone)
	if r, err := git.Find(t.Context(), clone); err != nil || !r.Shallow {
		t.Errorf("the shallow repository is %+v, %v", r, err)
	}
}

// TestErrors checks that git's messages come on one line, without what each begins with.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	t.Setenv("LC_ALL", "C")
	_, err := git.Find(t.Context(), dir)
	if err == nil || !strings.HasPrefix(err.Error(), "git: not a git repository") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("without a repository: %v", err)
	}
	run(t, dir, "init", "-q")
	if _, err := git.Head(t.Context(), dir); err == nil ||
		!strings.HasPrefix(err.Error(), "git log: your current branch") {
		t.Errorf("without a commit: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := git.Find(t.Context(), dir); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without git: %v", err)
	}
}

func TestChanges(t *testing.T) {
	dir := repository(t)
	changes := func(dir string, want []string, except ...string) {
		t.Helper()
		got, err := git.Changes(t.Context(), dir, except...)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("changes in %s except %q: %q, %v, want %q", dir, except, got, err, want)
		}
	}
	changes(dir, nil)
	write(t, dir, ".gitignore")
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("ignored\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "ignored", "made/of [x]/file")
	changes(dir, []string{"main.go", ".gitignore"}, "made/of [x]")
	changes(dir, []string{"main.go", ".gitignore", "made/"}, "made/of x")
	changes(filepath.Join(dir, "sub"), nil)
	write(t, dir, "sub/x")
	changes(filepath.Join(dir, "sub"), []string{"sub/x"}, "[x]")
	changes(dir, []string{"main.go", ".gitignore", "made/", "sub/x"}, "main.go", "none")
	for file, want := range map[string]bool{"main.go": true, "ignored": false, ".gitignore": false, "*.go": false} {
		if got, err := git.Tracked(t.Context(), dir, file); err != nil || (len(got) > 0) != want {
			t.Errorf("%s is tracked: %v, %v", file, got, err)
		}
	}
}

// TestHiddenChanges changes files that the index or a setting lets git pass over.
func TestHiddenChanges(t *testing.T) {
	dir, lib := repository(t), repository(t)
	run(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
	run(t, dir, "config", "-f", ".gitmodules", "submodule.lib.ignore", "all")
	write(t, dir, "made/assumed", "made/skipped", "made/absent")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	run(t, dir, "update-index", "--assume-unchanged", "made/assumed")
	run(t, dir, "update-index", "--skip-worktree", "made/skipped", "made/absent")
	changes := func(want ...string) {
		t.Helper()
		if got, err := git.Changes(t.Context(), dir, "made"); err != nil || !slices.Equal(got, want) {
			t.Errorf("changes: %q, %v, want %q", got, err, want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "made/absent")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "made/new")
	changes()
	for _, name := range []string{"made/assumed", "made/skipped", "lib/main.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("changed"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	changes("made/assumed", "made/skipped", "lib")
	if got, err := git.Files(t.Context(), dir, "made"); err != nil || !slices.Contains(got, "made/assumed") ||
		slices.Contains(got, "made/new") {
		t.Errorf("files: %q, %v", got, err)
	}
}

func TestTags(t *testing.T) {
	dir := repository(t)
	first := run(t, dir, "rev-parse", "HEAD")
	run(t, dir, "tag", "v1.0.0")
	run(t, dir, "tag", "-a", "-m", "annotated", "chart-1.0.0")
	write(t, dir, "second")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	run(t, dir, "tag", "nested/v1.1.0")
	second := run(t, dir, "rev-parse", "HEAD")
	run(t, dir, "checkout", "-q", "-b", "other", first)
	write(t, dir, "third")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "third")
	third := run(t, dir, "rev-parse", "HEAD")
	for _, tc := range []struct {
		commit   string
		of, upTo []string
	}{
		{first, []string{"chart-1.0.0", "v1.0.0"}, []string{"chart-1.0.0", "v1.0.0"}},
		{second, []string{"nested/v1.1.0"}, []string{"chart-1.0.0", "nested/v1.1.0", "v1.0.0"}},
		{third, nil, []string{"chart-1.0.0", "v1.0.0"}},
	} {
		of, err := git.TagsOf(t.Context(), dir, tc.commit)
		if err != nil || !slices.Equal(of, tc.of) {
			t.Errorf("tags of %s: %q, %v", tc.commit, of, err)
		}
		upTo, err := git.TagsUpTo(t.Context(), dir, tc.commit)
		if err != nil || !slices.Equal(upTo, tc.upTo) {
			t.Errorf("tags up to %s: %q, %v", tc.commit, upTo, err)
		}
	}
}

// TestHookOfAnotherRepository runs as in a git hook, which exports the variables of its own
// repository.
func TestHookOfAnotherRepository(t *testing.T) {
	other := repository(t)
	dir := repository(t)
	write(t, dir, "second")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	hash := run(t, dir, "rev-parse", "HEAD")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	if c, err := git.Head(t.Context(), dir); err != nil || c.Hash != hash {
		t.Errorf("HEAD is %+v, %v, want %s", c, err, hash)
	}
}

// TestOtherRepositories checks the forms of a repository that locate finds without git.
func TestOtherRepositories(t *testing.T) {
	dir := repository(t)
	head := run(t, dir, "rev-parse", "HEAD")
	run(t, dir, "tag", "v1.0.0")
	worktree := filepath.Join(t.TempDir(), "worktree")
	run(t, dir, "worktree", "add", "-q", "-b", "other", worktree)
	bare := filepath.Join(t.TempDir(), "bare")
	run(t, dir, "clone", "-q", "--bare", dir, bare)
	packed := filepath.Join(t.TempDir(), "packed")
	run(t, dir, "clone", "-q", "-s", dir, packed)
	run(t, packed, "pack-refs", "--all")
	run(t, packed, "update-index", "--split-index")
	run(t, packed, "update-index", "--index-version", "4")
	for _, at := range []string{dir, worktree, bare, packed} {
		c, err := git.Head(t.Context(), at)
		tags, tagsErr := git.TagsOf(t.Context(), at, head)
		if err != nil || tagsErr != nil || c.Hash != head || !slices.Equal(tags, []string{"v1.0.0"}) {
			t.Errorf("%s: %+v, %v, tags %q, %v", filepath.Base(at), c, err, tags, tagsErr)
		}
		if changes, err := git.Changes(t.Context(), at); at != bare && (err != nil || len(changes) > 0) {
			t.Errorf("%s: changes %q, %v", filepath.Base(at), changes, err)
		}
		to := filepath.Join(t.TempDir(), "to")
		if err := git.Checkout(t.Context(), at, to, head); err != nil {
			t.Errorf("%s: %v", filepath.Base(at), err)
		} else if changes, err := git.Changes(t.Context(), to); err != nil || len(changes) > 0 {
			t.Errorf("checkout of %s: changes %q, %v", filepath.Base(at), changes, err)
		}
	}
	sha256 := t.TempDir()
	run(t, sha256, "init", "-q", "--object-format=sha256")
	write(t, sha256, "file")
	run(t, sha256, "add", ".")
	run(t, sha256, "commit", "-q", "-m", "first")
	if c, err := git.Head(t.Context(), sha256); err != nil || len(c.Hash) != 64 {
		t.Errorf("SHA-256: %+v, %v", c, err)
	}
	crlf := t.TempDir() // as on Windows
	run(t, crlf, "init", "-q")
	run(t, crlf, "config", "core.autocrlf", "true")
	if err := os.WriteFile(filepath.Join(crlf, "file"), []byte("a\r\nb\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, crlf, "add", ".")
	run(t, crlf, "commit", "-q", "-m", "first")
	if err := os.Chtimes(filepath.Join(crlf, "file"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if changes, err := git.Changes(t.Context(), crlf); err != nil || len(changes) > 0 {
		t.Errorf("with CRLF: %q, %v", changes, err)
	}
}

// TestCheckAddress checks which untrusted addresses are asked.
func TestCheckAddress(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://example.com/a/b.git": true, "https://example.com:8443/a": true,
		"http://example.com/a": false, "https://u:p@example.com/a": false, "https://": false, "file:///etc": false,
		"ext::sh -c true":             false,
		"ssh://-oProxyCommand=true/a": false, "-u": false, "https://-x/a": false, "https://example.com/a b": false,
		"https:example.com": false,
		"git@example.com:a": false, "https://example.com/\x1b[0m": false, "/a/b": false,
	} {
		if err := git.CheckAddress(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}
