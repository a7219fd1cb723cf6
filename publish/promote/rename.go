package promote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// rename gives the references of the release.yaml their names at a destination, and checks the
// result. References to images outside of the source are left as they are.
func (p *promotion) rename(ctx context.Context, to string) (*renaming.Release, error) {
	if p.Release == "" {
		return nil, nil
	}
	own, there := map[string]bool{}, map[string]bool{}
	for _, i := range p.images {
		there[canonical(p.target(i, to))] = true
		for _, h := range i.manifests {
			own[h.String()] = true
		}
		for _, t := range slices.Concat(i.tags, i.floating) {
			own[t.desc.Digest.String()] = true
		}
	}
	names, err := p.names(to, func(repository, ref string) error {
		_, digest, _ := strings.Cut(ref, "@")
		below := func(registry string) bool {
			return registry != "" && strings.HasPrefix(repository, canonical(registry)+"/")
		}
		switch {
		case there[repository]:
			return nil
		case own[digest]:
			return fmt.Errorf("%s is an image of this release under another name than it was published with: "+
				"promote the release.yaml that belongs to it", ref)
		case below(p.From) || below(p.released):
			return fmt.Errorf("%s is not an image of this release: promote the release.yaml that belongs to it", ref)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := names.Read(p.Release, p.Out, to)
	if err != nil {
		return nil, err
	}
	return r, p.lint(ctx, r, to)
}

// names returns the names that the images have at a destination. A release.yaml and charts name
// them as they were published, also where they are copied from another registry.
func (p *promotion) names(to string, unknown func(repository, reference string) error) (*renaming.Names, error) {
	names := &renaming.Names{Unknown: unknown}
	for _, i := range p.images {
		if i.chart {
			continue
		}
		target := p.target(i, to)
		for _, old := range append([]string{i.repo}, i.released...) {
			if canonical(old) == canonical(target) {
				continue
			}
			repo, err := name.NewRepository(old)
			if err != nil {
				return nil, err
			}
			for _, t := range slices.Concat(i.tags, i.floating) {
				names.Add(repo.Tag(t.tag), target, t.desc.Digest, i.manifests...)
			}
		}
	}
	return names, nil
}

// lint checks a renamed manifest, with the images under their new names. Findings of severity
// error end the promotion.
func (p *promotion) lint(ctx context.Context, r *renaming.Release, to string) error {
	report, err := lint.Check(ctx, []lint.File{{Name: p.Release, Text: r.Text}},
		lint.Options{Lock: p.at(to), Allow: p.Allow})
	if err != nil {
		return fmt.Errorf("checking %s: %w", p.Release, err)
	}
	var errs []error
	for _, f := range report.Folded(false) {
		if f.Severity == lint.Error {
			errs = append(errs, errors.New(f.String()))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("%s breaks rules: correct its templates, "+
			"or name the slipway.yaml with -product whose lint.allow allows this:\n%w", p.Release, errors.Join(errs...))
	}
	return nil
}

// at returns the lock with the names that the images have at a destination; nil if there is none.
func (p *promotion) at(to string) *lock.Lock {
	if p.lock == nil {
		return nil
	}
	l := *p.lock
	l.Registry, l.Copies, l.Images = to, nil, slices.Clone(l.Images)
	for n, i := range p.images[:len(l.Images)] { // in the order of the lock
		l.Images[n].Repository, l.Images[n].FloatingTags = p.target(i, to), nil
	}
	return &l
}

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
		names, err := p.names(to, func(_, _ string) error { return nil }) // other images keep their names
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
