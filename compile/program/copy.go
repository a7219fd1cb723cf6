package program

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Copy copies a file, such as a compiled program, to path with the permission bits mode. It
// appears under its name only when it is complete and has the bytes of its digest. The caller has
// locked its directory.
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
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), r); err != nil {
		return err
	}
	if got := oci.Sum(h); got != c.Digest {
		return fmt.Errorf("it has digest %s, not %s: run again, and do not change files while they are read",
			got, c.Digest)
	}
	return f.Commit(path, mode)
}
