package handoff

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	gosource "github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/shard"
)

// Work is a plan of a registry that is carried out here, with the product in a directory of its
// own.
type Work struct {
	Plan    *shard.Plan
	Product string // the path of its slipway.yaml
	Rebuild *product.Rebuild

	top, tree string
	lock      *disk.Dir
}

// NewWork makes the directory for the plan that ref names in a store. All runs of the plan that do
// the same share the directory: the programs that a run has compiled are current for the next.
func NewWork(ctx context.Context, store, ref, does string, say disk.Say) (*Work, error) {
	_, digest, _ := strings.Cut(ref, "@sha256:")
	top, err := filepath.Abs(filepath.Join(store,
		"work", "plans", fmt.Sprintf("%.16s-%s", filepath.Base(digest), does)))
	if err != nil {
		return nil, err
	}
	w := &Work{top: top, tree: filepath.Join(top, "tree")}
	if w.lock, err = disk.MakeLocked(ctx, top, say); err != nil {
		return nil, err
	}
	os.RemoveAll(w.tree) // of a run that was killed
	if err := disk.MkdirAll(w.tree); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Close removes the directory.
func (w *Work) Close() {
	os.RemoveAll(w.tree)
	w.lock.Unlock()
	os.Remove(w.top) //nolint:errcheck // the next run may have it already
}

// Unpack unpacks the plan.
func (w *Work) Unpack(p *Plan) (err error) {
	w.Plan = p.Plan
	w.Product, w.Rebuild, err = p.Unpack(w.tree)
	return err
}

// Parts is the directory for the parts of the shards.
func (w *Work) Parts() string { return filepath.Join(w.tree, "parts") }

// Confine gives the compiler of a plan in a registry its sandbox. The build cache is GOCACHE, or a
// directory of the plan, since the cache of other builds must not have results of a plan. A cache
// program needs the network, and the plan's compiler can do without the sandbox.
func (w *Work) Confine(ctx context.Context, mode sandbox.Mode) (err error) {
	o := sandbox.Options{
		Mode: mode, Read: []string{w.tree}, Dir: filepath.Join(w.top, "box"),
		Cache: os.Getenv("GOCACHE"), Programs: true,
	}
	if o.Cache == "" {
		o.Cache = filepath.Join(w.top, "go-build")
	}
	if gosource.HasCacheProgram() {
		o.Unfit = "a build cache that machines share (-build-cache, GOCACHEPROG) needs the network"
	}
	if err := disk.MkdirAll(o.Dir); err != nil {
		return err
	}
	w.Rebuild.Sandbox, err = sandbox.New(ctx, o)
	return err
}
