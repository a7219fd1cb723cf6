package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// Changes lists the files in a directory that differ from HEAD or are not in git, but for those
// that git ignores. Repositories within this one are included. Untracked files at or below the
// paths made, which are relative to the directory, do not count; tracked files always do.
//
// A file that differs only if the program of a filter says so is an error: that is not run.
func Changes(ctx context.Context, dir string, made ...string) ([]string, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if err := v.checkTree(ctx); err != nil {
		return nil, err
	}
	indexed, err := v.indexed(ctx)
	if err != nil {
		return nil, err
	}
	if err := v.reveal(ctx, indexed); err != nil {
		return nil, err
	}
	changed, filtered, err := v.status(ctx, made)
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 && filtered != nil {
		return nil, filtered
	}
	for _, e := range indexed {
		if !e.repository {
			continue
		}
		inner, err := v.within(ctx, e.name)
		if err != nil {
			return nil, err
		}
		if inner {
			changed = append(changed, e.name)
		}
	}
	return changed, nil
}

// status lists the files that differ. filtered is the error for one of which only a filter knows.
func (v *view) status(ctx context.Context, made []string) (changed []string, filtered, err error) {
	// Of a submodule, git itself reads only which commit is checked out.
	args := []string{
		"status", "-z", "--no-renames", "--ignore-submodules=dirty", "--porcelain", "--untracked-files=no",
		"--", ".",
	}
	out, err := v.run(ctx, args...)
	if err != nil {
		return nil, nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) <= 3 { // "XY path"
			continue
		}
		name := entry[3:]
		if entry[:2] == " M" && filtered == nil {
			filter, err := v.filter(ctx, name)
			if err != nil {
				return nil, nil, err
			}
			if filter != "" {
				filtered = fmt.Errorf("git: whether %s has changed is not known without its filter %q, "+
					"which is not run: run git status there", name, filter)
				continue
			}
		}
		changed = append(changed, name)
	}
	args = append([]string{"status", "-z", "--ignore-submodules=all", "--porcelain", "--untracked-files=normal"},
		pathspec(made)...)
	if out, err = v.run(ctx, args...); err != nil {
		return nil, nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if name, ok := strings.CutPrefix(entry, "?? "); ok {
			changed = append(changed, name)
		}
	}
	return changed, filtered, nil
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

// entry is a file of the index, or a repository within this one.
type entry struct {
	name       string // relative to where git runs
	repository bool
	hidden     bool // git takes it for unchanged, whatever is there
}

// indexed lists the index in the directory.
func (v *view) indexed(ctx context.Context) (all []entry, err error) {
	out, err := v.run(ctx, "ls-files", "-v", "--stage", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		info, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		tag, info, _ := strings.Cut(info, " ")
		all = append(all, entry{name, strings.HasPrefix(info, "160000 "), tag == "S" || tag == strings.ToLower(tag)})
	}
	return all, nil
}

// reveal lets git look at files that are marked as unchanged (git update-index
// --assume-unchanged) or as absent (--skip-worktree) and are there: in an index of the view.
func (v *view) reveal(ctx context.Context, indexed []entry) error {
	var names strings.Builder
	for _, e := range indexed {
		if !e.hidden {
			continue
		}
		if _, err := os.Lstat(filepath.Join(v.work, filepath.FromSlash(e.name))); err == nil {
			names.WriteString(e.name + "\x00")
		}
	}
	if names.Len() == 0 {
		return nil
	}
	index, err := regular.ReadMost(v.index(), maxIndex)
	if err == nil {
		v.revealed = filepath.Join(v.dir, "index")
		err = write(v.revealed, index)
	}
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		if _, err := output(ctx, v.work, v.env(), names.String(), "update-index", flag, "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// within reports whether a repository within this one has changes of its own.
func (v *view) within(ctx context.Context, name string) (bool, error) {
	dir := filepath.Join(v.work, filepath.FromSlash(name))
	if resolved, err := filepath.EvalSymlinks(dir); err != nil || resolved != dir {
		return false, nil //nolint:nilerr // it is not there, or something else is in its place
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return false, nil //nolint:nilerr // it is not checked out
	}
	inner, err := Changes(ctx, dir)
	return len(inner) > 0, err
}

// Tracked lists the files at or below paths of a directory that git has, relative to the
// directory.
func Tracked(ctx context.Context, dir string, paths ...string) ([]string, error) {
	args := []string{"ls-files", "-z", "--"}
	for _, p := range paths {
		args = append(args, ":(literal)"+p)
	}
	out, err := run(ctx, dir, args...)
	return slices.DeleteFunc(strings.Split(out, "\x00"), func(name string) bool { return name == "" }), err
}
