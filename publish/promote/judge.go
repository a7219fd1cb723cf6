package promote

import (
	"context"
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
)

// judge checks the indexes of the images by the rules of package lint (see [lint.Own]). It asks for
// nothing besides what is copied: what an image is for is in a bundle, and a lock has it of each
// manifest.
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
			"with -product that allows what is intended under lint.allow:\n%w", err)
	}
	return nil
}

// recorded returns what the lock has recorded of the manifests of the product's images, by digest.
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
