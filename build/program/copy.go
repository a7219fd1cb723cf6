package program

import (
	"io"
	"io/fs"
	"path/filepath"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/disk"
)

// Copy copies a file, such as a compiled program, to path with the permission bits mode. It appears
// under its name only when it is complete. The caller has locked its directory.
func Copy(c layer.Content, path string, mode fs.FileMode) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := io.Copy(f, r); err != nil {
		return err
	}
	return f.Commit(path, mode)
}
