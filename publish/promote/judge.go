package promote

import (
	"context"
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// judge checks the indexes of the images by the rules of package lint (see [lint.Own]), and asks
// for nothing that is not copied: the platforms of an image are in a bundle, and in a lock.
func (p *promotion) judge(ctx context.Context) error {
	var configs oci.Get
	if p.lock == nil {
		configs = documents(p.source(ctx).Open)
	}
	made := p.recorded()
	var all []lint.Index
	seen := map[v1.Hash]bool{}
	for _, i := range p.images {
		for _, t := range slices.Concat(i.tags, i.floating) {
			if i.chart || seen[t.desc.Digest] {
				continue
			}
			seen[t.desc.Digest] = true
			index := lint.NewIndex(i.repo+":"+t.tag, t.tree, configs)
			index.Scope = lint.Own
			for n, e := range index.Entries {
				if config, ok := made[e.Desc.Digest]; ok {
					index.Entries[n].Config = config
				}
			}
			all = append(all, index)
		}
	}
	r := lint.CheckIndexes(all, lint.IndexOptions{Allow: lint.AllowIndexes(p.Allow), Partial: true})
	if err := r.Broken(); err != nil {
		return fmt.Errorf("images break rules, and nothing is promoted: release them again, or name a slipway.yaml "+
			"with -product that allows the intended findings under lint.allow:\n%w", err)
	}
	return nil
}

// recorded returns what the lock has recorded of the manifests of the product's images, by
// digest.
func (p *promotion) recorded() map[v1.Hash]*v1.ConfigFile {
	made := map[v1.Hash]*v1.ConfigFile{}
	if p.lock == nil {
		return made
	}
	for _, image := range p.lock.Images {
		for _, c := range image.Children {
			of := c.Platform.V1()
			made[c.Digest] = &v1.ConfigFile{
				OS: of.OS, Architecture: of.Architecture, Variant: of.Variant, OSVersion: of.OSVersion,
				OSFeatures: of.OSFeatures,
			}
		}
	}
	return made
}

// documents reads small blobs.
func documents(open func(v1.Hash) (io.ReadCloser, error)) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		r, err := open(d.Digest)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(io.LimitReader(r, oci.MaxConfig+1))
	}
}

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

// registryMaterial is the material from a registry, under the names of the lock: no statement has
// those of a copy of the registry.
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
