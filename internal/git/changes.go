package git

import (
	"context"
	"slices"
	"strings"
)

// Changes lists the files in a directory that differ from HEAD or are not in git, but for those
// that git ignores and those in the directories except, which are relative to it. With own, it
// asks repositories within this one, too, which have settings of their own.
func Changes(ctx context.Context, dir string, own bool, except ...string) ([]string, error) {
	args := []string{"status", "--porcelain", "--untracked-files=normal", "--", "."}
	if !own {
		args = slices.Insert(args, 1, "--ignore-submodules=dirty")
	}
	for _, e := range except {
		args = append(args, ":(exclude,literal)"+e)
	}
	out, err := run(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	var changed []string
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\r\n"); len(line) > 3 { // "XY path"
			changed = append(changed, line[3:])
		}
	}
	return changed, nil
}

// Tracked reports whether git has a file of a directory.
func Tracked(ctx context.Context, dir, file string) (bool, error) {
	out, err := run(ctx, dir, "ls-files", "--", ":(literal)"+file)
	return out != "", err
}
