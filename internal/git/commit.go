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

// TagsOf lists the tags of a commit, sorted by name.
func TagsOf(ctx context.Context, dir, commit string) ([]string, error) {
	return tags(ctx, dir, "--points-at="+commit)
}

// TagsUpTo lists the tags of a commit and of all commits that it follows, sorted by name.
func TagsUpTo(ctx context.Context, dir, commit string) ([]string, error) {
	return tags(ctx, dir, "--merged="+commit)
}

func tags(ctx context.Context, dir, which string) ([]string, error) {
	out, err := run(ctx, dir, "for-each-ref", which, "--format=%(refname)", "refs/tags")
	if err != nil {
		return nil, err
	}
	var all []string
	for line := range strings.Lines(out) {
		all = append(all, strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "refs/tags/"))
	}
	return all, nil
}
