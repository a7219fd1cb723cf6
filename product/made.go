package product

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
)

// MadeIn returns what Slipway writes itself below dir, relative to dir and with slashes: files
// and directories. They are not part of a build context, or else each run would pack what the one
// before it made. Files that git has are never among them.
func (p *Product) MadeIn(dir string) []string { return madeIn(p.untracked, dir) }

// madeIn returns those of absolute paths that are below dir, relative to dir and with slashes.
func madeIn(paths []string, dir string) []string {
	dir = resolved(dir)
	var all []string
	for _, made := range paths {
		for _, m := range []string{made, resolved(made)} {
			rel, err := filepath.Rel(dir, m)
			if err == nil && rel != "." && disk.Within(dir, m) && !slices.Contains(all, filepath.ToSlash(rel)) {
				all = append(all, filepath.ToSlash(rel))
			}
		}
	}
	return all
}

// resolved is a path without symbolic links, as far as it is there.
func resolved(path string) string {
	if actual, err := filepath.EvalSymlinks(path); err == nil {
		return actual
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

// made notes what Slipway writes: what the options name, and the usual store, which may be there
// from an earlier run.
func (c *checker) made(ctx context.Context, paths []string) error {
	for _, p := range append([]string{filepath.Join(c.out.Dir, ".slipway")}, paths...) {
		full, err := filepath.Abs(p)
		if err != nil {
			return err
		}
		c.out.Made = append(c.out.Made, full)
		c.out.untracked = append(c.out.untracked, untracked(ctx, full)...)
	}
	return nil
}

// untracked returns the path, or what git does not have of it where git has some of it.
func untracked(ctx context.Context, path string) []string {
	if _, err := os.Stat(path); err != nil || disk.Ignored(path) {
		return []string{path}
	}
	has, err := git.Tracked(ctx, filepath.Dir(path), filepath.Base(path))
	if err != nil || len(has) == 0 {
		return []string{path}
	}
	tracked := map[string]bool{}
	for _, name := range has { // and the directories that they are in
		full := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		for ; disk.Within(path, full) && !tracked[full]; full = filepath.Dir(full) {
			tracked[full] = true
		}
	}
	return without(path, tracked)
}

// without returns the files of a directory that are not among the tracked paths.
func without(path string, tracked map[string]bool) (all []string) {
	if !tracked[path] {
		return []string{path}
	}
	list, _ := os.ReadDir(path) // a file has none
	for _, e := range list {
		all = append(all, without(filepath.Join(path, e.Name()), tracked)...)
	}
	return all
}
