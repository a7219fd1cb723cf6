package changes

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/lock"
)

// Read adds the contents of the bill of materials in dir, which may be missing, to a lock.
func Read(dir string, l *lock.Lock) (Release, error) {
	r := Release{Lock: l}
	if name := distfile.CycloneDX(l.Name, l.Version); name == filepath.Base(name) {
		var err error
		r.Summary, err = sbom.Read(filepath.Join(dir, name), l)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	return r, nil
}
