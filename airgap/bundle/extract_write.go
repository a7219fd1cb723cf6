package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
)

// counted wraps a reader whose bytes are to be counted.
type counted func(io.Reader) io.Reader

// hold locks the directory in which [Bundle.Extract] makes files under temporary names: an
// existing target, since that may be a file system of its own, or else the directory above.
func hold(ctx context.Context, to string, say disk.Say) (*disk.Dir, error) {
	for {
		in, exists := filepath.Dir(to), isDir(to)
		if exists {
			in = to
		}
		d, err := disk.Lock(ctx, in, say)
		switch {
		case err == nil && isDir(to) == exists:
			return d, nil
		case err == nil: // another process was faster
			d.Unlock()
		case !exists || isDir(to):
			return nil, err
		}
	}
}

func isDir(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}

// toDir writes the files into a directory, which gets its name when it is complete, or completes
// an existing one.
func (b *Bundle) toDir(path string, list []extractFile, count counted) error {
	path = filepath.Clean(path)
	in := filepath.Dir(path)
	there, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !there.IsDir():
		return fmt.Errorf("%s already exists and is not a directory: name another one", path)
	default:
		in = path
		if list, err = lackingFiles(path, list, count); err != nil {
			return err
		}
	}
	tmp, err := disk.Temp(in)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, e := range list {
		name := filepath.Join(tmp, filepath.FromSlash(e.name))
		if err := disk.MkdirAll(filepath.Dir(name)); err != nil {
			return err
		}
		if err := b.toNew(name, e, count); err != nil {
			return err
		}
	}
	if there == nil {
		return os.Rename(tmp, path)
	}
	return complete(path, tmp, list)
}

// complete moves files into a directory: index.json, which names the others, after them.
func complete(path, tmp string, list []extractFile) error {
	for _, e := range slices.Backward(list) {
		name := filepath.FromSlash(e.name)
		if err := disk.MkdirAll(filepath.Dir(filepath.Join(path, name))); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(tmp, name), filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bundle) toNew(name string, e extractFile, count counted) error {
	f, err := disk.Create(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := b.copy(f, e, count); err != nil {
		return err
	}
	return f.Commit(name, disk.ModeFile)
}

// toFile writes the files into a tar.
func (b *Bundle) toFile(path string, list []extractFile, count counted) error {
	f, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer f.Abort()
	w := tar.NewWriter(f)
	for _, e := range list {
		h := &tar.Header{
			Name: e.name, Typeflag: tar.TypeReg, Mode: int64(disk.ModeFile), Size: e.size,
			ModTime: time.Unix(0, 0),
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if err := b.copy(w, e, count); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Commit(path, disk.ModeFile)
}

func (b *Bundle) copy(w io.Writer, e extractFile, count counted) error {
	r := io.NopCloser(bytes.NewReader(e.data))
	if e.data == nil {
		var err error
		if r, err = b.Open(e.blob); err != nil {
			return err
		}
	}
	defer r.Close()
	_, err := io.Copy(w, count(r))
	return err
}
