package product

import (
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// repository returns the root of the git repository that dir belongs to, or "" where it belongs
// to none. No git command runs: the repository may be a third party's.
func repository(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// Root returns the directory of everything that belongs to the product: its git repository, or the
// directory of slipway.yaml.
func (p *Product) Root() string {
	if r := repository(p.Dir); r != "" {
		return r
	}
	return p.Dir
}

func (c *checker) root() string { return c.out.Root() }

// own reports whether a directory belongs to the product itself: it is in the repository of
// slipway.yaml, and in no other repository within that, such as a submodule.
func (c *checker) own(dir string) bool {
	root, rootErr := filepath.EvalSymlinks(c.root())
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || rootErr != nil || !disk.Within(root, dir) {
		return false
	}
	nearest := repository(dir)
	return nearest == root || nearest == "" || !disk.Within(root, nearest)
}

// escapes returns an error text for a path within root that leads out of it by symbolic links, ""
// otherwise. A path that is written as one outside of root is allowed: slipway.yaml shows it.
func escapes(root, full, shown string) (why string) {
	if !disk.Within(root, full) {
		return ""
	}
	actual, err := filepath.EvalSymlinks(root)
	if err != nil {
		return ""
	}
	target, err := filepath.EvalSymlinks(full)
	if err != nil || disk.Within(actual, target) {
		return ""
	}
	return shown + " leads by a symbolic link to " + target + ", out of " +
		root + ": write the path itself if it is meant"
}

// leaves is escapes for a path in a directory source: third-party ones end at that directory.
func (c *checker) leaves(source, full string) (why string) {
	s := c.out.Source(source)
	if s.Own {
		return escapes(c.root(), full, full)
	}
	return escapes(s.Directory, full, full)
}
