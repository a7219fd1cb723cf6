package assemble

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
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

// compiledIn returns the trees that programs are compiled in, each directory once. Its go.mod may
// choose a toolchain.
func compiledIn(programs []program.Program) (all []source.Tree) {
	for _, p := range programs {
		if !slices.ContainsFunc(all, func(t source.Tree) bool { return t.Dir == p.Tree.Dir }) {
			all = append(all, p.Tree)
		}
	}
	return all
}

// toolchains lists the Go toolchains that compile programs.
func toolchains(ctx context.Context, programs []program.Program) (all []lock.Material, err error) {
	for _, tree := range compiledIn(programs) {
		tool, err := tree.Toolchain(ctx)
		if err != nil {
			return nil, err
		}
		m := lock.Material{URI: purl.Go("golang.org/toolchain", tool.Version), Local: tool.Sum == ""}
		if tool.Sum != "" {
			if m.DirHash, err = dirHash(tool.Sum); err != nil {
				return nil, err
			}
		}
		if !slices.ContainsFunc(all, func(o lock.Material) bool { return o.URI == m.URI }) {
			all = append(all, m)
		}
	}
	return all, nil
}

// GoVersion returns the versions of the toolchains that compile programs, sorted, with commas
// between them: "go1.26.8"; "" for no programs.
func GoVersion(ctx context.Context, programs []program.Program) (string, error) {
	var all []string
	for _, tree := range compiledIn(programs) {
		v, err := tree.GoVersion(ctx)
		if err != nil {
			return "", err
		}
		all = append(all, v)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), lock.GoSeparator), nil
}
