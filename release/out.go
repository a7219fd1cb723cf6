package release

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Hold locks the output directory dir until unlock is called. It makes dir if it is missing,
// removes partial files that killed processes left, and writes a .gitignore if dir is new or
// empty. It is an error if dir is a store. A caller that uses a store must have locked that
// first.
func Hold(ctx context.Context, dir string, pr *progress.Printer) (unlock func(), err error) {
	if store.Is(dir) {
		return nil, fmt.Errorf("%s is a store of built images: name another directory with -out", dir)
	}
	d, err := disk.Make(ctx, dir, pr.Printf)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	sweepTemporary(dir)
	entries, err := d.ReadDir()
	if err == nil && len(entries) == 0 {
		err = disk.Ignore(dir)
	}
	if err != nil {
		d.Unlock()
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	return d.Unlock, nil
}

// sweepTemporary removes partial files from the directories in an output directory, which its lock
// covers.
func sweepTemporary(dir string) {
	disk.Sweep(filepath.Join(dir, distfile.Programs))
	disk.Sweep(filepath.Join(dir, distfile.SBOMs))
}

// places fills in the directories that were not named.
func (o Options) places(p *product.Product) Options {
	o.Out = cmp.Or(o.Out, "dist")
	o.Store = cmp.Or(o.Store, filepath.Join(p.Dir, ".slipway"))
	return o
}
