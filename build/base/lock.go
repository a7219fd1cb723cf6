package base

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Change is what locking has found of a base for one platform.
type Change struct {
	Base      string `json:"base"`
	Platform  string `json:"platform"`
	Reference string `json:"reference"`
	// nil where it was not locked, or as another reference
	Old *LockedBase `json:"old,omitempty"`
	New LockedBase  `json:"new"`
	// Changed reports whether Old and New differ.
	Changed bool `json:"changed"`
	// Moved is the current digest of the tag, if slipway.yaml pins another.
	Moved string `json:"moved,omitempty"`
}

// LockedBase is what a change is from, or to.
type LockedBase struct {
	Digest    string `json:"digest"`
	OSVersion string `json:"osVersion,omitempty"`
	Created   string `json:"created,omitempty"` // a day: 2025-01-16
}

// Lock resolves the bases of p in their registries: tags to their current digests, digests in
// slipway.yaml as they are. It returns the entries for bases.lock.yaml, in the order of
// slipway.yaml, and what is new in it. All failures are reported.
func Lock(ctx context.Context, p *product.Product, c *network.Client) ([]product.LockedBase, []Change, error) {
	type job struct {
		base  product.Base
		image product.BaseImage
	}
	var jobs []job
	for _, b := range p.Bases {
		for _, i := range b.Images {
			jobs = append(jobs, job{b, i})
		}
	}
	list := make([]product.LockedBase, len(jobs))
	changes := make([]Change, len(jobs))
	failures := make([]error, len(jobs))
	var g errgroup.Group
	g.SetLimit(8)
	for n, j := range jobs {
		g.Go(func() error {
			var err error
			if list[n], changes[n].Moved, err = locked(ctx, c, j.base, j.image); err != nil {
				failures[n] = fmt.Errorf("%s: base %s for %s: %w", j.image.Pos, j.base.Name, j.image.Platform.String(), err)
			}
			return nil
		})
	}
	g.Wait() //nolint:errcheck // failures are kept by index: every one is reported
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(failures...); err != nil {
		return nil, nil, err
	}
	for n, e := range list {
		c := &changes[n]
		c.Base, c.Platform, c.Reference, c.New = e.Base, e.Platform.String(), e.Reference, short(e)
		if old := jobs[n].image.Lock; old != nil {
			was := short(*old)
			c.Old = &was
		}
		c.Changed = c.Old == nil || *c.Old != c.New
	}
	return list, changes, nil
}

// short is a locked base for people and scripts.
func short(e product.LockedBase) LockedBase {
	s := LockedBase{Digest: e.Digest.String(), OSVersion: e.OSVersion}
	if !e.Created.IsZero() {
		s.Created = e.Created.UTC().Format("2006-01-02")
	}
	return s
}

// locked asks for one image. moved is the digest of its tag, where slipway.yaml has another.
func locked(ctx context.Context, c *network.Client, b product.Base, i product.BaseImage) (e product.LockedBase, moved string, err error) {
	e = product.LockedBase{Base: b.Name, Platform: i.Platform, Reference: product.Unpinned(i)}
	var tag name.Reference
	if i.Tag != "" {
		tag = i.Reference.Context().Tag(i.Tag)
	}
	ref := i.Reference
	if !i.Inline {
		ref = tag
	}
	desc, err := c.Get(ctx, ref)
	if err != nil {
		return e, "", fmt.Errorf("looking at %s: %w", ref, network.Clean(err))
	}
	e.Digest = desc.Digest
	img, got, err := choose(ctx, c, desc, i.Platform, b.AnyBuild)
	if err != nil {
		return e, "", fmt.Errorf("%s: %w", ref, err)
	}
	cf, err := img.ConfigFile()
	if err != nil {
		return e, "", fmt.Errorf("looking at %s: %w", ref, err)
	}
	if i.Platform.OS == platform.Windows && !b.AnyBuild {
		e.OSVersion = got.OSVersion
	}
	if e.Created = cf.Created.UTC().Truncate(time.Second); e.Created.Unix() <= 0 {
		e.Created = time.Time{} // made to be the same each time, so that it tells nothing
	}
	if i.Inline && tag != nil {
		now, err := c.Head(ctx, tag)
		if err != nil {
			return e, "", fmt.Errorf("looking at %s: %w", tag, network.Clean(err))
		}
		if now.Digest != e.Digest {
			moved = now.Digest.String()
		}
	}
	return e, moved, nil
}
