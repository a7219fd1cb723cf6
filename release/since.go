package release

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/report/changes"
)

// since compares the inputs with those of the lock at path. A release replaces a file there that
// is not a lock.
func (pl *planner) since(ctx context.Context, path string) error {
	toolchain, err := assemble.GoVersion(ctx, pl.compiled)
	pl.refuse(err)
	old, err := lock.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		pl.network.Progress.Printf("not comparing with an earlier release: %v", err)
		return nil
	}
	pl.old, pl.Lock = old, path
	now := pl.inputs()
	now.Go = cmp.Or(toolchain, old.Go)
	pl.Changes = append(pl.Changes, changes.Inputs(old, now, len(pl.Selected) == 0)...)
	return nil
}

// inputs returns the lock of the release, as far as the lock lists its inputs.
func (pl *planner) inputs() *lock.Lock {
	now := *pl.names
	now.Prebuilt = pl.found.found.Prebuilt
	for _, c := range pl.product.Charts {
		now.Charts = append(now.Charts, lock.Chart{Name: c.Name, Version: c.Version})
	}
	now.Images = slices.Clone(now.Images)
	for n, i := range now.Images {
		now.Images[n].Children = slices.Clone(i.Children)
		for k, on := range pl.outlines[n].On {
			c := &now.Images[n].Children[k]
			c.Base, c.CopiedFrom = pl.base(i.Name, on), on.CopiedFrom
			pl.taken(i.Name, on, c)
		}
	}
	return &now
}

// taken notes which image of another builder a platform of an image is. Where its digest is known
// only once it is made, it is taken for that of the release before.
func (pl *planner) taken(image string, on assemble.Grounds, c *lock.Child) {
	switch {
	case on.Prebuilt != nil:
		c.Prebuilt, c.Digest = &lock.Taken{From: on.Prebuilt.From}, on.Prebuilt.Digest
	case on.Builder != "":
		c.Prebuilt, c.Digest = &lock.Taken{From: assemble.FromBuilder(image)}, v1.Hash{}
	default:
		return
	}
	if old := pl.before(image, on.Platform); old.Prebuilt != nil && c.Digest == (v1.Hash{}) {
		c.Digest = old.Digest
	}
}

// base returns the base of a platform of an image. Where its digest is known only once it is made,
// as that of a docker-archive, it is taken for that of the release before.
func (pl *planner) base(image string, on assemble.Grounds) *lock.Base {
	if on.Base == nil || on.Base.Digest != (v1.Hash{}) {
		return on.Base
	}
	if old := pl.before(image, on.Platform).Base; old != nil && old.Name == on.Base.Name {
		return old
	}
	return on.Base
}

// before returns what the last release had of an image for a platform, zero for nothing.
func (pl *planner) before(image string, p platform.Platform) lock.Child {
	old, _ := pl.old.Image(image)
	for _, c := range old.Children {
		if platform.Same(c.Platform, p) {
			return c
		}
	}
	return lock.Child{}
}
