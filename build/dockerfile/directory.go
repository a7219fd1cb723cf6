package dockerfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// directory is a context on disk, without what its .dockerignore names. All access goes through
// an [os.Root], which lets no symbolic link lead out.
type directory struct {
	store  *store.Store
	dir    string
	root   *regular.Root
	except []string // files and directories that are not part of it, slash-separated
	made   sync.Map // whether a directory is one that Slipway made, by path
	mode   modeOf
	ignore *patternmatcher.PatternMatcher // nil for nothing
}

// modeOf returns the mode that a file or directory of a context has in an image.
type modeOf func(path string, fi fs.FileInfo) (fs.FileMode, error)

// diskMode is the mode on the disk.
func diskMode(_ string, fi fs.FileInfo) (fs.FileMode, error) { return fi.Mode(), nil }

// openDirectory opens a context. The patterns come from the first of the ignore files that
// exists, else from its .dockerignore.
func openDirectory(st *store.Store, dir string, except []string, mode modeOf, ignoreFiles ...string) (*directory, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening context: %w", err)
	}
	d := &directory{store: st, dir: dir, root: root, except: except, mode: mode}
	if err := d.readIgnore(ignoreFiles); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

func (d *directory) readIgnore(names []string) error {
	var f *os.File
	var err error
	for _, n := range names {
		if n == os.DevNull {
			return nil
		}
		if f, err = regular.Open(n); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if f == nil && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		f, err = d.root.Open(".dockerignore")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading .dockerignore: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return fmt.Errorf("reading .dockerignore: %w", err)
	}
	if len(b) > maxSource {
		return fmt.Errorf("%s has more than %d bytes", f.Name(), maxSource)
	}
	patterns, err := ignorefile.ReadAll(bytes.NewReader(b))
	if err == nil && len(patterns) > 0 {
		d.ignore, err = patternmatcher.New(patterns)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

func (d *directory) lstat(p string) (*node, error) {
	fi, err := d.root.Lstat(relative(p))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if seen, err := d.visible(p, fi.IsDir()); err != nil || !seen {
		return nil, err
	}
	origin := filepath.Join(d.dir, relative(p))
	mode, err := d.mode(origin, fi)
	if err != nil {
		return nil, err
	}
	n := &node{kind: layer.Regular, mode: mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
	switch fi.Mode().Type() {
	case 0:
		n.size = fi.Size()
		n.origin = origin
		n.content = func() (layer.Content, error) { return layer.File(d.store, n.origin) }
	case fs.ModeDir:
		n.kind = layer.Dir
	case fs.ModeSymlink:
		n.kind, n.mode = layer.Symlink, 0o777
		link, err := d.root.Readlink(relative(p))
		if err != nil {
			return nil, err
		}
		n.link = filepath.ToSlash(link)
	case fs.ModeSocket:
		return nil, nil // as BuildKit: a socket cannot be sent
	default:
		n.odd = "a device or pipe"
	}
	return n, nil
}

// never reports whether p is never part of a context: what Slipway itself writes, which would
// grow with each run, and .git, which changes without any file of the source.
func (d *directory) never(p string) bool {
	return slices.Contains(strings.Split(p, "/"), ".git") || d.isMade(p) || slices.ContainsFunc(d.except, func(dir string) bool {
		return p == "/"+dir || strings.HasPrefix(p, "/"+dir+"/")
	})
}

// isMade reports whether p is, or is in, an output directory or a store of this run or another
// one.
func (d *directory) isMade(p string) bool {
	if p == "/" {
		return false // whoever names one as a context means it
	}
	made, ok := d.made.Load(p)
	if !ok {
		made = disk.Ignored(filepath.Join(d.dir, relative(p))) || d.isMade(path.Dir(p))
		d.made.Store(p, made)
	}
	return made.(bool)
}

// visible reports whether p is part of the context and .dockerignore lets it through. An ignored
// directory is seen where something in it is not ignored.
func (d *directory) visible(p string, isDir bool) (bool, error) {
	if d.never(p) {
		return false, nil
	}
	if d.ignore == nil || p == "/" {
		return true, nil
	}
	ignored, err := d.ignore.MatchesOrParentMatches(relative(p))
	if err != nil {
		return false, fmt.Errorf(".dockerignore: %w", err)
	}
	if !ignored || !isDir || !d.ignore.Exclusions() {
		return !ignored, nil
	}
	names, err := d.readDir(p)
	return len(names) > 0, err
}

func (d *directory) readDir(p string) ([]string, error) {
	f, err := d.root.Open(relative(p))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range list {
		seen, err := d.visible(path.Join(p, e.Name()), e.IsDir())
		if err != nil {
			return nil, err
		}
		if seen && e.Type() != fs.ModeSocket {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// relative turns a path of the tree into one for [os.Root].
func relative(p string) string {
	if p == "/" {
		return "."
	}
	return filepath.FromSlash(p[1:])
}

// fileTree makes a tree of the single files of a context.
func fileTree(list map[string]File) (*tree, error) {
	t := newTree(nil)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		f := list[name]
		p := path.Join("/", name)
		if err := t.mkdirAll(path.Dir(p), rootNode); err != nil {
			return nil, err
		}
		err := t.set(p, &node{
			kind: layer.Regular, mode: f.Mode & fs.ModePerm,
			content: func() (layer.Content, error) { return f.Content, nil },
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// maxSource bounds a Dockerfile and its .dockerignore in bytes, as BuildKit does.
const maxSource = 1 << 20

// File is a file that a context shows under a name of its choice. Mode has its permission bits.
type File struct {
	Content layer.Content
	Mode    fs.FileMode
}
