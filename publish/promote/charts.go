package promote

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// renameCharts makes the charts that name the images at each destination, if charts are renamed.
func (p *promotion) renameCharts(ctx context.Context) error {
	p.charts = make([]map[v1.Hash]*renaming.Chart, len(p.To))
	keep := ChartsKeep
	if len(p.Renames) > 0 {
		keep = ChartsRename
	}
	if cmp.Or(p.Charts, keep) == ChartsKeep {
		return nil
	}
	for n, to := range p.To {
		p.charts[n] = map[v1.Hash]*renaming.Chart{}
		names, err := p.names(to, func(_, _ string) error { return nil }) // what is elsewhere stays
		if err != nil {
			return err
		}
		for _, i := range p.images {
			if !i.chart {
				continue
			}
			if err := p.renameChart(ctx, names, i, p.charts[n]); err != nil {
				return fmt.Errorf("renaming the images of chart %s: %w", i.name, err)
			}
		}
	}
	return nil
}

// renameChart adds a chart with new names.
func (p *promotion) renameChart(ctx context.Context, names *renaming.Names,
	i *image, all map[v1.Hash]*renaming.Chart,
) error {
	t := i.tags[0].tree
	archive, err := renaming.Archive(p.source(ctx).Open, t)
	if err != nil {
		return err
	}
	all[t.Desc.Digest], err = names.Chart(ctx, archive, t, i.released[0]+"@"+t.Desc.Digest.String(), i.stamp.Created)
	return err
}

// treeAt returns what a tag is to name at the n-th destination.
func (p *promotion) treeAt(n int, i *image, t tagged) *oci.Tree {
	if c := p.charts[n][t.desc.Digest]; i.chart && c != nil {
		return c.Tree
	}
	return t.tree
}

// planCharts lists the charts under their tags, then their originals by digest.
func (p *promotion) planCharts(n int, d *Destination) (charts, originals []transfer.Image, err error) {
	for _, i := range p.images {
		if !i.chart {
			continue
		}
		repo, err := name.NewRepository(p.target(i, p.To[n]))
		if err != nil {
			return nil, nil, err
		}
		for _, t := range i.tags {
			tree := p.treeAt(n, i, t)
			one := Chart{Image: Image{
				Source: i.repo + "@" + t.desc.Digest.String(), Target: repo.Tag(t.tag).Name(),
				Digest: tree.Desc.Digest,
			}}
			if c := p.charts[n][t.desc.Digest]; c != nil {
				one.References, one.Untouched = c.References, c.Untouched
			}
			d.Charts = append(d.Charts, one)
			charts = append(charts, transfer.Image{Name: i.name, Ref: repo.Tag(t.tag), Tree: tree})
			if tree != t.tree {
				originals = append(originals,
					transfer.Image{Name: i.name, Ref: repo.Digest(t.desc.Digest.String()), Tree: t.tree})
			}
		}
	}
	return charts, originals, nil
}
