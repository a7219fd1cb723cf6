package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// New writes a small file that must not exist: it appears complete, and never replaces another
// one. If there is one, the error is [fs.ErrExist].
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
	return os.Link(f.Name(), path)
}
