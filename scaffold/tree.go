package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	files []string          // regular files, with slashes, sorted
	links map[string]string // symbolic links in the root to such files
	shut  []string          // what cannot be read
	root  io.Closer         // nil if nothing has to be closed
}

// hidden are directories that say how a project is built, although their names begin with a dot.
var hidden = []string{
	".github", ".circleci", ".tekton", ".buildkite", ".prow", ".ci", ".gitlab", ".gitea", ".forgejo", ".woodpecker",
}

// skipped are directories that say nothing of what a project releases.
var skipped = []string{"vendor", "node_modules", "testdata", "third_party", "_output"}

// listTree lists the files of a repository.
func listTree(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys, links: map[string]string{}}
	n := 0
	err := fs.WalkDir(fsys, ".", func(p string, e fs.DirEntry, err error) error {
		if n++; n > maxEntries {
			return fmt.Errorf("it has more than %d files: name the directory of one product", maxEntries)
		}
		switch name := e.Name(); {
		case err != nil && p == ".":
			return cause(err)
		case err != nil:
			t.shut = append(t.shut, p)
			if e == nil || e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() && p != "." && (name[0] == '.' && !slices.Contains(hidden, name) ||
			slices.Contains(skipped, name)):
			return fs.SkipDir
		case e.Type().IsRegular():
			t.files = append(t.files, p)
		case e.Type()&fs.ModeSymlink != 0 && !strings.Contains(p, "/"):
			if to, err := fs.ReadLink(fsys, p); err == nil {
				t.links[p] = path.Clean(to)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(t.files)
	maps.DeleteFunc(t.links, func(_, to string) bool { return !t.has(to) })
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

// text returns a file, nil if it is missing. One that is too large or cannot be read is noted.
func (t *tree) text(name string) []byte {
	if !t.has(name) {
		return nil
	}
	f, err := t.fsys.Open(name)
	var b []byte
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(f, maxText+1))
		err = errors.Join(err, f.Close())
	}
	if err != nil || len(b) > maxText {
		t.shut = appendNew(t.shut, name)
		return nil
	}
	return b
}

// Text is [tree.text].
func (t *tree) Text(name string) []byte { return t.text(name) }

// Match lists the files of a pattern.
func (t *tree) Match(pattern string) (list []string) {
	for _, f := range t.files {
		if ok, _ := path.Match(pattern, f); ok {
			list = append(list, f)
		}
	}
	return list
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
