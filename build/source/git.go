package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/subprocess"
	"github.com/slipway-dev/slipway/product"
)

type readCloser = io.ReadCloser

const giveThem = "commit the directory to git, or give revision and created in slipway.yaml"

// directory fills in what slipway.yaml leaves out from the directory's git repository: HEAD, with
// "-dirty" where files differ from it or are not in it, but for those that git ignores and those
// in except, and its commit time.
func directory(ctx context.Context, s product.Source, except []string) (Tree, error) {
	if fi, err := os.Stat(s.Directory); err != nil || !fi.IsDir() {
		return Tree{}, fmt.Errorf("source %s: %s is not a directory", s.Name, s.Directory)
	}
	if (s.Revision == "" || s.Created.IsZero()) && !s.Own {
		if err := askable(ctx, s.Directory); err != nil {
			return Tree{}, fmt.Errorf("source %s: %w: %s", s.Name, err, giveThem)
		}
	}
	if s.Revision == "" {
		rev, err := git(ctx, s.Directory, "rev-parse", "HEAD")
		if err != nil {
			return Tree{}, fmt.Errorf("source %s: %w: %s", s.Name, err, giveThem)
		}
		status := []string{"status", "--porcelain", "--untracked-files=normal", "--", "."}
		if !s.Own { // a repository within it has a configuration of its own
			status = slices.Insert(status, 1, "--ignore-submodules=dirty")
		}
		for _, dir := range except {
			status = append(status, ":(exclude,literal)"+dir)
		}
		changed, err := git(ctx, s.Directory, status...)
		if err != nil {
			return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
		}
		if changed != "" {
			rev += "-dirty"
		}
		s.Revision = rev
	}
	if s.Created.IsZero() {
		out, err := git(ctx, s.Directory, "log", "-1", "--format=%cI")
		if err != nil {
			return Tree{}, fmt.Errorf("source %s: %w: %s", s.Name, err, giveThem)
		}
		if s.Created, err = time.Parse(time.RFC3339, out); err != nil {
			return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
		}
		s.Created = s.Created.UTC()
	}
	return Tree{Source: s, Dir: s.Directory}, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := subprocess.Command(ctx, "git", args...)
	cmd.Dir = dir
	// A hook of another repository exports where that one is.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name)
	})
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], Said(err))
	}
	return strings.TrimSpace(string(out)), nil
}

func version(s product.Source) string {
	if _, v, ok := strings.Cut(s.Module, "@"); ok {
		return strings.TrimPrefix(v, "v")
	}
	return s.Revision
}
