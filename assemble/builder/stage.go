package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Stage copies the files of a context that a Dockerfile can copy into an empty directory: without
// those that the first of the ignore files, else its .dockerignore, names, without except, .git and
// the files that Slipway makes. mode is as in [containerfile.Input]; nil keeps the modes of the
// disk.
//
// Files are copies, which file systems that can share their blocks make without reading them, and
// have the time of the copy. A hard link would have the times and modes of the original, and a
// fixed time would hide a change from BuildKit: it takes a file of the same name, size and time as
// one that it has. Since the time of the copy is later than SOURCE_DATE_EPOCH, BuildKit and podman
// write that one into the image.
//
// [containerfile.Input]: https://pkg.go.dev/github.com/slipway-dev/slipway/containerfile#Input
func Stage(ctx context.Context, dir string, except, ignore []string, mode tree.ModeOf, into string) error {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("copying the context: %w", err)
	}
	defer root.Close()
	if mode == nil {
		mode = tree.DiskMode
	}
	s := stage{ctx: ctx, root: root, dir: dir, into: into, mode: mode}
	if err := tree.Walk(dir, except, ignore, s.copy); err != nil {
		return fmt.Errorf("copying the context %s: %w", dir, err)
	}
	for _, d := range slices.Backward(s.dirs) { // their files are written
		if err := disk.Chmod(d.path, d.mode); err != nil {
			return fmt.Errorf("copying the context %s: %w", dir, err)
		}
	}
	return nil
}

// stage is a copy of a context.
type stage struct {
	ctx       context.Context
	root      *regular.Root
	dir, into string
	mode      tree.ModeOf
	dirs      []directory
}

type directory struct {
	path string
	mode fs.FileMode
}

// copy copies a file, directory or link of the context.
func (s *stage) copy(name string, fi fs.FileInfo) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	local := filepath.FromSlash(name)
	to := filepath.Join(s.into, local)
	mode, err := s.mode(filepath.Join(s.dir, local), fi)
	if err != nil {
		return err
	}
	mode &= fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	switch fi.Mode().Type() {
	case fs.ModeDir:
		s.dirs = append(s.dirs, directory{to, mode})
		return disk.MkdirAll(to)
	case fs.ModeSymlink:
		link, err := s.root.Readlink(local)
		if err != nil {
			return err
		}
		return os.Symlink(link, to)
	case 0:
		return s.file(local, to, mode)
	}
	return fmt.Errorf("%s is %s, which no image can have: name it in .dockerignore", name, regular.Kind(fi.Mode()))
}

func (s *stage) file(from, to string, mode fs.FileMode) error {
	f, err := s.root.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := disk.Create(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out.File, f); err != nil {
		return err
	}
	return out.Place(to, mode)
}

// prepare makes what a request lacks: an empty context, and for one that was staged a copy of the
// Dockerfile without an ignore file next to it. done removes that.
func (r Request) prepare() (_ Request, done func(), err error) {
	if r.Context != "" && !r.Staged {
		return r, func() {}, nil
	}
	dir, remove, err := scratch()
	if err != nil {
		return r, nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	if r.Context == "" {
		r.Context = filepath.Join(dir, "context")
		if err := disk.MkdirAll(r.Context); err != nil {
			return r, nil, err
		}
	}
	if !r.Staged {
		return r, remove, nil
	}
	text, err := regular.Read(r.File)
	if err != nil {
		return r, nil, fmt.Errorf("reading the Dockerfile: %w", err)
	}
	r.Shown = cmp.Or(r.Shown, r.File)
	r.File = filepath.Join(dir, filepath.Base(r.File))
	return r, remove, errors.Join(
		disk.Write(r.File, text, disk.ModeFile),
		disk.Write(r.File+".dockerignore", []byte(nothing), disk.ModeFile))
}

// nothing is an ignore file that names nothing. For an empty one BuildKit would read that of the
// context.
const nothing = "# the context is a copy without ignored files\n"
