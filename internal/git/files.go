package git

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Files lists the files of a directory that git has or would add: all but those that it ignores,
// and those that it does not have at or below the paths made. Paths are relative to the
// directory.
func Files(ctx context.Context, dir string, made ...string) ([]string, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if err := v.checkTree(ctx); err != nil {
		return nil, err
	}
	has, err := v.run(ctx, "ls-files", "-z", "--cached", "--", ".")
	if err != nil {
		return nil, err
	}
	others, err := v.run(ctx,
		append([]string{"ls-files", "-z", "--others", "--exclude-standard"}, pathspec(made)...)...)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(strings.Split(has+others, "\x00"), func(name string) bool { return name == "" })
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Prefix returns the path of a directory in its repository, slash-separated; "." for the root.
func Prefix(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "rev-parse", "--show-prefix")
	return cmp.Or(strings.TrimSuffix(out, "/"), "."), err
}
