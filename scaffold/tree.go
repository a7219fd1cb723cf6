package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Bounds on a repository, far beyond real ones.
const (
	maxEntries = 200_000 // files and directories
	maxText    = 1 << 20 // bytes of a file that is read
)

// tree is the repository. Nothing outside of it is read, and no symbolic link is followed.
type tree struct {
	fsys  fs.FS
	files []string // regular files, with slashes, sorted
}

// skipped are directories that say nothing of what a project releases.
var skipped = []string{"vendor", "node_modules", "testdata", "third_party", "_output"}

// listTree lists the files of a repository.
func listTree(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys}
	n := 0
	err := fs.WalkDir(fsys, ".", func(p string, e fs.DirEntry, err error) error {
		if n++; n > maxEntries {
			return fmt.Errorf("it has more than %d files: name the directory of one product", maxEntries)
		}
		switch name := e.Name(); {
		case err != nil && p == ".":
			return cause(err)
		case err != nil:
			return fs.SkipDir // what cannot be read is not part of a product
		case e.IsDir() && p != "." && (name[0] == '.' && name != ".github" || slices.Contains(skipped, name)):
			return fs.SkipDir
		case e.Type().IsRegular():
			t.files = append(t.files, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(t.files)
	return t, nil
}

// cause is an error without the path, which the caller names.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (t *tree) has(name string) bool {
	_, ok := slices.BinarySearch(t.files, path.Clean(name))
	return ok
}

// hasDir reports whether there are files in a directory.
func (t *tree) hasDir(dir string) bool {
	if dir = path.Clean(dir); dir == "." {
		return len(t.files) > 0
	}
	i, _ := slices.BinarySearch(t.files, dir+"/")
	return i < len(t.files) && strings.HasPrefix(t.files[i], dir+"/")
}

// text returns a file, nil if it is missing, too large or cannot be read.
func (t *tree) text(name string) []byte {
	if !t.has(name) {
		return nil
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil || len(b) > maxText {
		return nil
	}
	return b
}

// matches reports whether a pattern, as COPY has them, matches a file or a directory.
func (t *tree) matches(pattern string) bool {
	pattern = path.Clean("/" + pattern)[1:]
	if pattern == "" {
		return len(t.files) > 0
	}
	depth := strings.Count(pattern, "/") + 1
	for _, f := range t.files {
		parts := strings.Split(f, "/")
		if len(parts) < depth {
			continue
		}
		if ok, _ := path.Match(pattern, strings.Join(parts[:depth], "/")); ok {
			return true
		}
	}
	return false
}

// aside are directories whose programs, images and manifests are not the product.
var aside = []string{
	"test", "tests", "e2e", "hack", "example", "examples", "docs", "doc", "tools",
	"samples", "demo", "demos", "integration_tests", "boilerplate", "release-tools", ".github",
}

// isAside reports whether a path is in such a directory.
func isAside(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool {
		return slices.Contains(aside, strings.ToLower(s))
	})
}
