package release

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Pack packs the bundles of the selected platforms, or deltas on bases. named means that images
// are selected by name.
func (s *Stage) Pack(ctx context.Context, bases []string, named bool) (packed Packed, err error) {
	l, partial, err := s.packable()
	if err != nil {
		return packed, err
	}
	p := s.Product
	l = selected(p, l, named)
	// Layers of bases are in the registry only, because nothing has needed them here.
	if !l.Snapshot {
		if err := transfer.New(network.Options{Progress: s.Progress}).Pull(ctx, s.Store, l); err != nil {
			return packed, err
		}
	}
	if packed.Findings, err = judgeImages(ctx, p, s.Store, l); err != nil {
		return packed, err
	}
	o := airgap.PackOptions{
		Dir: s.Out, First: p.Airgap.FirstImage, Gzip: p.Airgap.Gzip, Partial: partial || len(p.Selected) > 0,
		Progress: s.Progress,
	}
	if len(bases) > 0 { // a delta changes no file of the release
		packed.Bundles, err = airgap.PackDelta(ctx, s.Store, l, selectedTargets(p), bases, o)
	} else {
		o.Changing = func() error { return s.claim(bundleFiles(p)...) }
		packed.Bundles, _, err = airgap.Pack(ctx, s.Store, l, selectedTargets(p), o)
	}
	if err != nil {
		return packed, err
	}
	if len(packed.Bundles) == 0 {
		return packed, fmt.Errorf("nothing was packed: no bundle for one platform takes %v: "+
			"pack without -platforms and -images", p.Selected)
	}
	return packed, Settle(s.Out, p.Name)
}

// selected returns the part of a lock that p selects. Images that are selected by name are
// images of the product, so those of images.txt are never selected then.
func selected(p *product.Product, l *lock.Lock, named bool) *lock.Lock {
	if len(p.Selected) == 0 {
		return l
	}
	part := *l
	part.Images = slices.DeleteFunc(slices.Clone(l.Images), func(i lock.Image) bool {
		return !slices.ContainsFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
	})
	if named {
		part.ThirdParty = nil
	}
	return &part
}

// selectedTargets returns the bundles for the selected platforms. A selection has no bundle for
// all platforms, because it would not be complete.
func selectedTargets(p *product.Product) []airgap.Target {
	all := Targets(p.Airgap)
	if len(p.Selected) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(t airgap.Target) bool {
		same := func(have platform.Platform) bool { return platform.Same(have, t.Platform) }
		return t.Platform.IsZero() || t.ListOnly || !slices.ContainsFunc(p.Platforms, same)
	})
}

// bundleFiles returns the names of the files that pack makes.
func bundleFiles(p *product.Product) (names []string) {
	for _, t := range selectedTargets(p) {
		names = append(names, t.Name+distfile.ListSuffix)
		if t.ListOnly {
			continue
		}
		names = append(names, t.Name+distfile.BundleSuffix)
		if p.Airgap.Gzip {
			names = append(names, t.Name+distfile.GzipSuffix)
		}
	}
	return names
}
