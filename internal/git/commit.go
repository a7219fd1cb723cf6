package git

import (
	"context"
	"strings"
)

// Resolve returns the full hash of a commit.
func Resolve(ctx context.Context, dir, revision string) (string, error) {
	return run(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
}

// ListCommit lists the files of a commit by their paths in the repository.
func ListCommit(ctx context.Context, dir, hash string) ([]string, error) {
	out, err := run(ctx, dir, "ls-tree", "-r", "-z", "--full-tree", "--name-only", hash)
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), nil
}

// Show returns the text of a file of a commit, without its last line breaks.
func Show(ctx context.Context, dir, hash, file string) (string, error) {
	return run(ctx, dir, "cat-file", "blob", hash+":"+file)
}
