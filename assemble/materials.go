package assemble

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// module is the path of Slipway's own module.
const module = "github.com/slipway-dev/slipway"

// slipway returns the running program as a material: a version of its module with the hash that the
// go command has compared, or a file that only this machine knows.
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

// maxDocument bounds the documents of bases that a statement has: larger ones are read from the
// registry again. Those of real bases have some KB.
const maxDocument = 1 << 20

// documents lists the documents of the bases that images were built on, with their bytes.
func (r *reader) documents() (all []lock.Material) {
	for _, d := range r.bases.Documents() {
		if len(d.Content) > maxDocument {
			continue
		}
		uri := purl.ImageFile(d.File) + "@" + d.Digest.String()
		if d.File == "" {
			uri = purl.OCI(d.Repository.Name(), d.Digest.String(), nil)
		}
		content := base64.StdEncoding.EncodeToString(d.Content)
		all = append(all, lock.Material{URI: uri, SHA256: d.Digest.Hex, Content: content})
	}
	return all
}

// dirHash returns an h1: hash in hex, as in-toto has it.
func dirHash(sum string) (string, error) {
	h, ok := strings.CutPrefix(sum, "h1:")
	b, err := base64.StdEncoding.DecodeString(h)
	if !ok || err != nil {
		return "", fmt.Errorf("%q is not a hash of a module", sum)
	}
	return hex.EncodeToString(b), nil
}
