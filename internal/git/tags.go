package git

import (
	"context"
	"strings"
)

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
