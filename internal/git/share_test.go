package git_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/git"
)

// TestShare commits between questions that belong together, about two directories of a repository
// and about another repository.
func TestShare(t *testing.T) {
	dir, other := repository(t), repository(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	head := func(ctx context.Context, dir string) string {
		t.Helper()
		c, err := git.Head(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash
	}
	views := func() int {
		t.Helper()
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	shared, end := git.Share(t.Context())
	first := head(shared, dir)
	write(t, dir, "second")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "second")
	if again := head(shared, filepath.Join(dir, "sub")); again != first {
		t.Errorf("questions of one context are about %s and %s", first, again)
	}
	if alone := head(t.Context(), dir); alone == first {
		t.Error("another context does not see the commit")
	}
	if changes, err := git.Changes(shared, dir); err != nil || len(changes) != 1 || changes[0] != "second" {
		t.Errorf("what differs from the commit that is asked about: %q, %v", changes, err)
	}
	head(shared, other)
	if n := views(); n != 2 {
		t.Errorf("two repositories have %d views", n)
	}
	end()
	if n := views(); n != 0 {
		t.Errorf("%d views are left behind", n)
	}
	if _, err := git.Head(shared, dir); err == nil {
		t.Error("a question behind the end is answered")
	}
}
