package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Changes lists the files in a directory that differ from HEAD or are not in git, but for those
// that git ignores and those in the directories except, which are relative to it. With own, it
// looks into repositories within this one, too.
//
// A file that differs only if the program of a filter says so is an error: that is not run.
func Changes(ctx context.Context, dir string, own bool, except ...string) ([]string, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if err := v.checkTree(ctx); err != nil {
		return nil, err
	}
	// Of a submodule, git itself reads only which commit is checked out.
	args := append([]string{"status", "--ignore-submodules=dirty", "--porcelain", "--untracked-files=normal"}, pathspec(except)...)
	out, err := v.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	var changed []string
	filtered := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) <= 3 { // "XY path"
			continue
		}
		name := line[3:]
		if line[:2] == " M" && filtered == "" {
			filter, err := v.filter(ctx, name)
			if err != nil {
				return nil, err
			}
			if filter != "" {
				filtered = fmt.Sprintf("git: whether %s has changed is not known without its filter %q, which is not run: run git status there", name, filter)
				continue
			}
		}
		changed = append(changed, name)
	}
	if len(changed) == 0 && filtered != "" {
		return nil, fmt.Errorf("%s", filtered)
	}
	if own {
		inner, err := v.submodules(ctx, except)
		if err != nil {
			return nil, err
		}
		changed = append(changed, inner...)
	}
	return changed, nil
}

func pathspec(except []string) []string {
	args := []string{"--", "."}
	for _, e := range except {
		args = append(args, ":(exclude,literal)"+e)
	}
	return args
}

// filter returns the filter of a file, by its path in the repository, if that has a program.
func (v *view) filter(ctx context.Context, name string) (string, error) {
	if len(v.settings.filters) == 0 {
		return "", nil
	}
	root := *v
	root.work = v.place.root
	out, err := root.run(ctx, "check-attr", "-z", "filter", "--", name)
	if err != nil {
		return "", err
	}
	if f := strings.Split(out, "\x00"); len(f) > 2 && v.settings.filters[f[2]] {
		return f[2], nil
	}
	return "", nil
}

// submodules lists the repositories within this one that have changes of their own.
func (v *view) submodules(ctx context.Context, except []string) ([]string, error) {
	out, err := v.run(ctx, append([]string{"ls-files", "--stage", "-z"}, pathspec(except)...)...)
	if err != nil {
		return nil, err
	}
	var changed []string
	for entry := range strings.SplitSeq(out, "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if !strings.HasPrefix(about, "160000 ") {
			continue
		}
		dir := filepath.Join(v.work, filepath.FromSlash(name))
		if resolved, err := filepath.EvalSymlinks(dir); err != nil || resolved != dir {
			continue // it is not there, or something else is in its place
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue
		}
		inner, err := Changes(ctx, dir, true)
		if err != nil {
			return nil, err
		}
		if len(inner) > 0 {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// Tracked reports whether git has a file of a directory.
func Tracked(ctx context.Context, dir, file string) (bool, error) {
	out, err := run(ctx, dir, "ls-files", "--", ":(literal)"+file)
	return out != "", err
}
