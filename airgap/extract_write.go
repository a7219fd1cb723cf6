package airgap

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// open gives the bytes of a file. Those of a blob are checked when they have been read to their end.
func (b *Bundle) open(e member) (io.ReadCloser, error) {
	if e.data != nil {
		return io.NopCloser(bytes.NewReader(e.data)), nil
	}
	r, _, err := b.Blob(e.blob)
	return r, err
}

// toDir writes the files into a new directory.
func (b *Bundle) toDir(path string, list []member, counted func(io.Reader) io.Reader) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already: name a directory that is not", path)
	}
	path = filepath.Clean(path)
	tmp, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	for _, e := range list {
		name := filepath.Join(tmp, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := b.toNew(name, e, counted); err != nil {
			return err
		}
	}
	return os.Rename(tmp, path)
}

func (b *Bundle) toNew(name string, e member, counted func(io.Reader) io.Reader) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(b.copy(f, e, counted), f.Sync(), f.Close())
}

// toFile writes the files into a tar.
func (b *Bundle) toFile(path string, list []member, counted func(io.Reader) io.Reader) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // nothing is left of a file that was not finished; one that was has its own name
	defer f.Close()
	w := tar.NewWriter(f)
	for _, e := range list {
		h := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: 0o644, Size: e.size, ModTime: time.Unix(0, 0)}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if err := b.copy(w, e, counted); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (b *Bundle) copy(w io.Writer, e member, counted func(io.Reader) io.Reader) error {
	r, err := b.open(e)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, counted(r))
	return err
}
