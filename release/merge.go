package release

import (
	"context"
	"fmt"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
)

// Merge makes one release from parts, which other machines built with selected platforms or
// images and pushed to p's registry. Together the parts must have everything that p consists of.
// Merge makes and tags the indexes, pulls blobs that the store lacks from the registry, and then
// continues as [Release] does after publish.
func Merge(ctx context.Context, p *product.Product, parts []*lock.Part, o Options) (*Summary, error) {
	return mend(ctx, p, o, func(c *run, ctx context.Context) (*Summary, error) { return c.merge(ctx, parts) })
}

func (c *run) merge(ctx context.Context, parts []*lock.Part) (*Summary, error) {
	c.stage("joining parts")
	if err := c.refuseStubParts(parts); err != nil {
		return nil, err
	}
	m, err := c.joinMaterials(ctx, parts)
	if err != nil {
		return nil, err
	}
	operators, stop := c.operators(ctx)
	defer stop()
	c.stage("third-party images and indexes")
	prepared, err := publish.PrepareMerge(ctx, m.product, c.store, parts, c.network())
	if err != nil {
		return nil, err
	}
	if err := c.findArtifacts(ctx, prepared.Lock); err != nil {
		return nil, fmt.Errorf("merging parts: %w", err)
	}
	return c.publish(ctx, m, prepared, operators)
}

// joinMaterials joins the materials of parts, whose sources, inputs and slipway must be the local
// ones. Shards leave third-party images to the complete release, which finds them here.
func (c *run) joinMaterials(ctx context.Context, parts []*lock.Part) (m made, err error) {
	joined, err := lock.Merge(parts...)
	if err != nil {
		return m, err
	}
	in := c.input(ctx)
	if in.Missing != nil {
		return m, in.Missing
	}
	m.product = c.described
	if m.baseline, err = in.Baseline(ctx); err != nil {
		return m, err
	}
	for _, line := range m.baseline.Warnings {
		c.warnings.Add(line)
	}
	here, err := m.baseline.Materials(ctx)
	if err != nil {
		return m, err
	}
	if m.materials, err = lock.SameMaterials(joined.Materials, here); err != nil {
		return m, fmt.Errorf("merging parts: the parts were made from other inputs: %w", err)
	}
	if parts[0].Shard != nil {
		m.product, _, err = findImages(ctx, c.described, in.Trees, nil)
	}
	return m, err
}
