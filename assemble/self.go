package assemble

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// module is the path of Slipway's own module.
const module = "github.com/slipway-dev/slipway"

// slipway returns what the running program is: a version of its module with the hash that the go
// command has compared, or a file that only this machine knows.
func slipway(st *store.Store) (lock.Material, error) {
	m := lock.Material{URI: "pkg:golang/" + module, Local: true}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Path == module && info.Main.Replace == nil && info.Main.Sum != "" {
		h, err := dirHash(info.Main.Sum)
		return lock.Material{URI: purl.Go(module, info.Main.Version), DirHash: h}, err
	}
	running.Lock()
	defer running.Unlock()
	if running.sha256 == "" {
		exe, err := os.Executable()
		if err != nil {
			return m, fmt.Errorf("finding the running slipway: %w", err)
		}
		file, err := layer.File(st, exe)
		if err != nil {
			return m, fmt.Errorf("reading the running slipway: %w", err)
		}
		running.sha256 = file.Digest.Hex
	}
	m.SHA256 = running.sha256
	return m, nil
}

// running is the file of the running program, which the process reads once, whatever stores it has.
var running struct {
	sync.Mutex

	sha256 string
}
