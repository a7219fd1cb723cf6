package regular

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Root is a directory from which only regular files and directories are opened, and which no
// symbolic link leads out of.
type Root struct{ root *os.Root }

// OpenRoot opens a directory.
func OpenRoot(dir string) (*Root, error) {
	fi, err := os.Stat(dir)
	if err != nil {
		return nil, asOpen(err)
	}
	if !fi.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Root{r}, nil
}

// Close closes the directory.
func (r *Root) Close() error { return r.root.Close() }

// Lstat describes a file, without following a symbolic link there.
func (r *Root) Lstat(name string) (fs.FileInfo, error) { return r.root.Lstat(name) }

// Stat describes a file, or what a symbolic link leads to.
func (r *Root) Stat(name string) (fs.FileInfo, error) { return r.root.Stat(name) }

// Readlink returns the target of a symbolic link.
func (r *Root) Readlink(name string) (string, error) { return r.root.Readlink(name) }

// Open opens a regular file or a directory.
func (r *Root) Open(name string) (*os.File, error) {
	return open(name, true, r.root.Stat, func(name string) (*os.File, error) { return r.root.OpenFile(name, flags, 0) })
}

// ReadFile returns a regular file of at most 64 MiB.
func (r *Root) ReadFile(name string) ([]byte, error) { return read(name, maxText, r.Open) }

// FS returns the directory as a file system with the same rules.
func (r *Root) FS() fs.FS { return tree{r.root.FS(), r} }

// tree is a Root as a file system. Its names have slashes.
type tree struct {
	fs.FS
	root *Root
}

// Open implements [fs.FS].
func (t tree) Open(name string) (fs.File, error) { return t.open(name) }

func (t tree) open(name string) (*os.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return t.root.Open(filepath.FromSlash(name))
}

// ReadFile implements [fs.ReadFileFS].
func (t tree) ReadFile(name string) ([]byte, error) { return read(name, maxText, t.open) }

// Stat implements [fs.StatFS].
func (t tree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

// Lstat implements [fs.ReadLinkFS].
func (t tree) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(t.FS, name) }

// ReadLink implements [fs.ReadLinkFS].
func (t tree) ReadLink(name string) (string, error) { return fs.ReadLink(t.FS, name) }

// ReadDir implements [fs.ReadDirFS].
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := t.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}
