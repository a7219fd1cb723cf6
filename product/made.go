package product

import (
	"path/filepath"
	"slices"
)

// MadeIn returns the directories below dir that Slipway writes itself, relative to dir and with
// slashes. They are not part of a source's revision or of a build context, or else each run would
// pack what the one before it made.
func (p *Product) MadeIn(dir string) []string {
	dir = resolved(dir)
	var all []string
	for _, made := range p.Made {
		for _, m := range []string{made, resolved(made)} {
			rel, err := filepath.Rel(dir, m)
			if err == nil && rel != "." && within(dir, m) && !slices.Contains(all, filepath.ToSlash(rel)) {
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

// made returns absolute paths of the directories that Slipway writes: those that the options
// name, and the usual store, which may be there from an earlier run.
func (c *checker) made(dirs []string) ([]string, error) {
	all := []string{filepath.Join(c.out.Dir, ".slipway")}
	for _, d := range dirs {
		full, err := filepath.Abs(d)
		if err != nil {
			return nil, err
		}
		all = append(all, full)
	}
	return all, nil
}
