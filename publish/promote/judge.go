package promote

import (
	"context"
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// judge checks the indexes of the images by the rules of package lint (see [lint.Own]). It asks for
// nothing besides what is copied: what an image is for is in a bundle, and a lock has it of each
// manifest.
func (p *promotion) judge(ctx context.Context) error {
	var configs oci.Get
	if p.lock == nil {
		configs = documents(p.source(ctx).Open)
	}
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
			p.recorded(index)
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

// recorded gives the entries of an index what the lock has recorded of their manifests.
func (p *promotion) recorded(i lint.Index) {
	if p.lock == nil {
		return
	}
	made := map[v1.Hash]platform.Platform{}
	for _, image := range p.lock.Images {
		for _, c := range image.Children {
			made[c.Digest] = c.Platform
		}
	}
	for n, e := range i.Entries {
		if on, ok := made[e.Desc.Digest]; ok {
			of := on.V1()
			i.Entries[n].Config = &v1.ConfigFile{
				OS: of.OS, Architecture: of.Architecture, Variant: of.Variant, OSVersion: of.OSVersion,
				OSFeatures: of.OSFeatures,
			}
		}
	}
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
