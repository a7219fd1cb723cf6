package product

import (
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// stamp notes what a file is before it is read.
func (p *Product) stamp(path string) {
	if p.stamps == nil {
		p.stamps = map[string]string{}
	}
	if fi, err := os.Stat(path); err == nil {
		p.stamps[path] = disk.Stamp(fi)
	}
}

// stampFiles notes slipway.yaml and the lock files next to it.
func (p *Product) stampFiles() {
	for _, name := range []string{filepath.Base(p.Path), BasesLock, ImagesLock} {
		p.stamp(filepath.Join(p.Dir, name))
	}
}

// Changed returns a file that was written since [Load] read it, by what [disk.Stamp] says of it now;
// "" for none.
func (p *Product) Changed(now func(path string) string) string {
	for path, then := range p.stamps {
		if is := now(path); is != "" && is != then {
			return path
		}
	}
	return ""
}
