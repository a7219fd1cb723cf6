package promote

import (
	"context"
	"slices"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// verify checks the images against the signed statement of their release.
func (p *promotion) verify(ctx context.Context) (*evidence.Report, error) {
	m, err := p.material(ctx)
	if err != nil {
		return nil, err
	}
	r, err := evidence.Verify([]evidence.Material{m}, p.Policy)
	if err == nil && p.Release != "" {
		err = r.CheckFile(p.Release)
	}
	if err != nil {
		return nil, err
	}
	r.Tell(p.Registry.Progress)
	return r, nil
}

// registryMaterial is what was read from a registry, under the names of the lock: those of a copy
// of the registry are in no statement.
func (p *promotion) registryMaterial(ctx context.Context) (evidence.Material, error) {
	m := evidence.Material{
		From: p.From, Product: p.lock.Name, Version: p.lock.Version, Created: p.lock.Created,
		Open: p.source(ctx).Open,
	}
	for _, i := range p.images {
		var referrers []bundle.Referrer
		for _, r := range i.referrers {
			referrers = append(referrers, bundle.Referrer{Referrer: r.Referrer, Tree: r.tree})
		}
		for n, t := range slices.Concat(i.tags, i.floating) {
			m.Images = append(m.Images, bundle.Image{
				Name: p.released + "/" + i.path + ":" + t.tag, Floating: n >= len(i.tags), Chart: i.chart, Tree: t.tree,
				Manifests: manifests(t.tree), Referrers: slices.Clone(referrers),
			})
		}
	}
	return m, nil
}

// manifests returns the manifests of an image, all of which a registry has.
func manifests(t *oci.Tree) (all []bundle.Manifest) {
	for c := range t.All() {
		if !c.Desc.MediaType.IsIndex() {
			on := platform.From(c.Desc.Platform)
			all = append(all, bundle.Manifest{Tree: c, Platform: on, Key: on.Key()})
		}
	}
	return all
}
