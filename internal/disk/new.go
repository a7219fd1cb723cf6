package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// New writes a small file that must not exist: it appears complete, and never replaces another one.
// If there is one, the error is [fs.ErrExist]. A file system without hard links, as media have,
// gets an empty file of that name first, which the complete one replaces.
func New(path string, data []byte, mode fs.FileMode) error {
	f, err := Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer f.Abort()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Sync()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	claim, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if err := errors.Join(claim.Close(), f.Commit(path, mode)); err != nil {
		os.Remove(path) //nolint:errcheck // the empty file is this process's
		return err
	}
	return nil
}
