package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// Directory is a context on disk, without what its .dockerignore names. All access goes through
// an [os.Root], which lets no symbolic link lead out.
type Directory struct {
	store  *store.Store
	dir    string
	Root   *regular.Root
	except []string // files and directories that are not part of it, slash-separated
	made   sync.Map // whether a directory is one that Slipway made, by path
	mode   ModeOf
	ignore *patternmatcher.PatternMatcher // nil for nothing
	judged sync.Map                       // judgements, by path
}

// ModeOf returns the mode that a file or directory of a context has in an image.
type ModeOf func(path string, fi fs.FileInfo) (fs.FileMode, error)

// DiskMode is the mode on the disk.
func DiskMode(_ string, fi fs.FileInfo) (fs.FileMode, error) { return fi.Mode(), nil }

// OpenDirectory opens a context. The patterns come from the first of the ignore files that
// exists, else from its .dockerignore.
func OpenDirectory(st *store.Store, dir string, except []string, mode ModeOf,
	ignoreFiles ...string,
) (*Directory, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening context: %w", err)
	}
	d := &Directory{store: st, dir: dir, Root: root, except: except, mode: mode}
	if err := d.readIgnore(ignoreFiles); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

func (d *Directory) readIgnore(names []string) error {
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
		f, err = d.Root.Open(".dockerignore")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading .dockerignore: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxSource+1))
	if err != nil {
		return fmt.Errorf("reading .dockerignore: %w", err)
	}
	if len(b) > MaxSource {
		return fmt.Errorf("%s has more than %d bytes", f.Name(), MaxSource)
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

// Lstat returns the file at a path, as [Files] has it.
func (d *Directory) Lstat(p string) (*Node, error) {
	fi, err := d.Root.Lstat(relative(p))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) ||
		errors.Is(err, syscall.EINVAL) {
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
	n := &Node{Kind: layer.Regular, Mode: mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
	switch fi.Mode().Type() {
	case 0:
		n.size = fi.Size()
		n.Origin = origin
		n.Content = func() (layer.Content, error) { return layer.File(d.store, n.Origin) }
	case fs.ModeDir:
		n.Kind = layer.Dir
	case fs.ModeSymlink:
		n.Kind, n.Mode = layer.Symlink, 0o777
		link, err := d.Root.Readlink(relative(p))
		if err != nil {
			return nil, err
		}
		n.Link = filepath.ToSlash(link)
	case fs.ModeSocket:
		return nil, nil // as BuildKit: a socket cannot be sent
	default:
		n.Odd = "a device or pipe"
	}
	return n, nil
}

// never reports whether p is never part of a context: what Slipway itself writes, which would
// grow with each run, and .git, which changes without any file of the source.
func (d *Directory) never(p string) bool {
	return slices.Contains(strings.Split(p, "/"), ".git") || d.isMade(p) ||
		slices.ContainsFunc(d.except, func(dir string) bool {
			return p == "/"+dir || strings.HasPrefix(p, "/"+dir+"/")
		})
}

// isMade reports whether p is, or is in, an output directory or a store of this run or another
// one.
func (d *Directory) isMade(p string) bool {
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
func (d *Directory) visible(p string, isDir bool) (bool, error) {
	if d.never(p) {
		return false, nil
	}
	if d.ignore == nil || p == "/" {
		return true, nil
	}
	now, err := d.judge(relative(p))
	if err != nil {
		return false, fmt.Errorf(".dockerignore: %w", err)
	}
	ignored := now.ignored
	if !ignored || !isDir || !d.ignore.Exclusions() {
		return !ignored, nil
	}
	names, err := d.ReadDir(p)
	return len(names) > 0, err
}

// judgement is whether a path is ignored, and by which patterns.
type judgement struct {
	ignored bool
	matches patternmatcher.MatchInfo
}

// judge matches each path once, by the judgement of its directory.
func (d *Directory) judge(p string) (now judgement, err error) {
	if known, ok := d.judged.Load(p); ok {
		return known.(judgement), nil
	}
	var around judgement
	if dir := path.Dir(p); dir != "." {
		if around, err = d.judge(dir); err != nil {
			return around, err
		}
	}
	now.ignored, now.matches, err = d.ignore.MatchesUsingParentResults(p, around.matches)
	if err == nil {
		d.judged.Store(p, now)
	}
	return now, err
}

// ReadDir returns the sorted names in a directory.
func (d *Directory) ReadDir(p string) ([]string, error) {
	f, err := d.Root.Open(relative(p))
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

// MaxSource bounds a Dockerfile and its .dockerignore in bytes, as BuildKit does.
const MaxSource = 1 << 20
