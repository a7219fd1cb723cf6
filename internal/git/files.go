package git

import (
	"context"
	"slices"
	"strings"
)

// Files lists the files of a directory that git has or would add: all but those that it ignores,
// and those in the directories except. Paths are relative to the directory.
func Files(ctx context.Context, dir string, except ...string) ([]string, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if err := v.checkTree(ctx); err != nil {
		return nil, err
	}
	args := []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."}
	for _, e := range except {
		args = append(args, ":(exclude,literal)"+e)
	}
	out, err := v.run(ctx, args...)
	if err != nil || out == "" {
		return nil, err
	}
	all := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Prefix returns the path of a directory in its repository, slash-separated; "." for the root.
func Prefix(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "rev-parse", "--show-prefix")
	if out = strings.TrimSuffix(out, "/"); out == "" {
		out = "."
	}
	return out, err
}
