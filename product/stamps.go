package product

import (
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// stampFiles returns what slipway.yaml and the lock files next to it are before they are read.
func stampFiles(path, dir string) map[string]string {
	stamps := map[string]string{}
	for _, name := range []string{filepath.Base(path), BasesLock, ImagesLock} {
		full := filepath.Join(dir, name)
		if fi, err := os.Stat(full); err == nil {
			stamps[full] = disk.Stamp(fi)
		}
	}
	return stamps
}

// Changed returns a file that was written since [Load] read it, by what [disk.Stamp] says of it
// now; "" for none.
func (p *Product) Changed(now func(path string) string) string {
	for path, then := range p.stamps {
		if is := now(path); is != "" && is != then {
			return path
		}
	}
	return ""
}
