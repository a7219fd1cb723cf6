package bundle

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
)

// lackingFiles returns the files that a directory lacks. A blob whose bytes do not have the
// digest in its name counts as lacking, and so does a document that is not complete. Anything
// else in the directory is an error, so that no other file is overwritten.
func lackingFiles(dir string, list []extractFile, count counted) ([]extractFile, error) {
	if err := onlyFiles(dir, list); err != nil {
		return nil, err
	}
	var lacks []extractFile
	for _, e := range list {
		ok, err := hasFile(filepath.Join(dir, filepath.FromSlash(e.name)), e, count)
		if err != nil {
			return nil, err
		}
		if !ok {
			lacks = append(lacks, e)
		}
	}
	return lacks, nil
}

// onlyFiles returns an error for a file or directory that is not one of the list.
func onlyFiles(dir string, list []extractFile) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if disk.IsLock(rel) {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if slices.ContainsFunc(list, func(e extractFile) bool {
			return d.Type().IsRegular() && e.name == rel || d.IsDir() && (path.Dir(e.name) == rel || path.Dir(path.Dir(e.name)) == rel)
		}) {
			return nil
		}
		return fmt.Errorf("%s is there already and has %s, which is not of this image: name another directory", dir, rel)
	})
}

// hasFile reports whether a file has the bytes of e.
func hasFile(name string, e extractFile, count counted) (bool, error) {
	f, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if e.data != nil {
		got, err := io.ReadAll(io.LimitReader(f, e.size+1))
		if err == nil && !bytes.HasPrefix(e.data, got) {
			err = fmt.Errorf("%s is there already, and is of another image or was changed: name another directory", name)
		}
		return len(got) == len(e.data), err
	}
	if fi, err := f.Stat(); err != nil || fi.Size() != e.size {
		return false, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, count(f)); err != nil {
		return false, err
	}
	return oci.Sum(h) == e.blob, nil
}
