package product

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
)

// MadeIn returns what Slipway writes itself below dir, and images that another builder left there,
// relative to dir and with slashes: files and directories. Such paths are not part of a build
// context, or else each run would pack what the one before it made. Files that git has are never
// among them.
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

// made notes what Slipway writes: what the options name, the usual store, which may be there from
// an earlier run, and the files that standard output and standard error go to.
func (c *checker) made(ctx context.Context, paths []string) error {
	for _, p := range slices.Concat([]string{filepath.Join(c.out.Dir, ".slipway")}, paths, redirected()) {
		full, err := filepath.Abs(p)
		if err != nil {
			return err
		}
		c.out.Made = append(c.out.Made, full)
		if _, err := os.Stat(full); err != nil || disk.Ignored(full) {
			c.out.untracked = append(c.out.untracked, full)
		} else {
			c.out.untracked = append(c.out.untracked, untracked(ctx, filepath.Dir(full), full)...)
		}
	}
	return nil
}

// untracked returns paths in dir, or what git does not have of one where git has some of it.
func untracked(ctx context.Context, dir string, paths ...string) (all []string) {
	var names []string
	for _, p := range paths {
		if name, err := filepath.Rel(dir, p); err == nil {
			names = append(names, name)
		}
	}
	has, err := git.Tracked(ctx, dir, names...)
	if err != nil || len(has) == 0 {
		return paths
	}
	tracked := map[string]bool{}
	for _, name := range has { // and the directories that they are in
		full := filepath.Join(dir, filepath.FromSlash(name))
		for ; disk.Within(dir, full) && !tracked[full]; full = filepath.Dir(full) {
			tracked[full] = true
		}
	}
	for _, p := range paths {
		all = append(all, without(p, tracked)...)
	}
	return all
}

// without returns the files of a directory that are not among the tracked paths.
func without(path string, tracked map[string]bool) (all []string) {
	if !tracked[path] {
		return []string{path}
	}
	list, _ := os.ReadDir(path) // a file has no entries
	for _, e := range list {
		all = append(all, without(filepath.Join(path, e.Name()), tracked)...)
	}
	return all
}

// redirected returns the files that standard output and standard error go to, as after
// "release > release.log". A system without /proc does not tell their names.
func redirected() (all []string) {
	for _, descriptor := range []string{"/proc/self/fd/1", "/proc/self/fd/2"} {
		path, err := os.Readlink(descriptor)
		if err != nil {
			continue
		}
		open, err := os.Stat(descriptor)
		there, wrong := os.Stat(path)
		if err == nil && wrong == nil && open.Mode().IsRegular() && os.SameFile(open, there) {
			all = append(all, path)
		}
	}
	return all
}
