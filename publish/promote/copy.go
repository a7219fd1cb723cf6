package promote

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// copy brings the images and charts, and their referrers, to every destination, and records it in
// done.
func (p *promotion) copy(ctx context.Context, done *Promoted) error {
	all := make([][]transfer.Image, len(p.To))
	var renamed []*renaming.Chart
	for n := range p.To {
		var err error
		if all[n], err = p.plan(n, &done.Destinations[n]); err != nil {
			return err
		}
		renamed = slices.AppendSeq(renamed, maps.Values(p.charts[n]))
	}
	source := p.source(ctx)
	source.Open = renaming.Opener(renamed, source.Open)
	errs := make([]error, len(p.To))
	for n, r := range p.client.PushAll(ctx, all, source, transfer.PushOptions{
		Task: "promote", Conflict: conflict, Referrers: p.Referrers,
	}) {
		d := &done.Destinations[n]
		d.Blobs, d.Bytes, d.OmittedReferrers = r.Blobs, r.Bytes, r.Omitted
		if errs[n] = r.Err; r.Err != nil {
			continue
		}
		for k := range d.Images {
			d.Images[k].Existed = r.Outcomes[k].Existed
		}
		for k := range d.Charts {
			d.Charts[k].Existed = r.Outcomes[len(d.Images)+k].Existed
		}
		for _, out := range r.Outcomes[len(r.Outcomes)-d.Referrers:] {
			if out.Skipped {
				d.Referrers--
			}
		}
	}
	return p.failed(errs)
}

// plan lists the images for the n-th destination: images and charts under their tags, charts
// whose copies have new names, and then the referrers of all of them.
func (p *promotion) plan(n int, d *Destination) ([]transfer.Image, error) {
	var images, referrers []transfer.Image
	for _, i := range p.images {
		repo, err := name.NewRepository(p.target(i, p.To[n]))
		if err != nil {
			return nil, err
		}
		mounts := map[v1.Hash]name.Reference{}
		if p.lock != nil {
			for _, r := range i.held() {
				maps.Copy(mounts, r.MountFrom())
			}
		}
		for _, one := range i.referrersAt(repo) {
			one.Bases = mounts
			referrers = append(referrers, one)
		}
		if i.chart {
			continue
		}
		for _, t := range i.tags {
			ref := repo.Tag(t.tag)
			images = append(images, transfer.Image{Name: i.name, Ref: ref, Tree: t.tree, Bases: mounts})
			d.Images = append(d.Images,
				Image{Source: i.repo + "@" + t.desc.Digest.String(), Target: ref.Name(), Digest: t.desc.Digest})
		}
	}
	charts, originals, err := p.planCharts(n, d)
	d.Referrers = len(referrers)
	return slices.Concat(images, charts, originals, referrers), err
}

// referrersAt lists the referrers of an image, to be pushed to a repository. What may be evidence
// of the release must be there.
func (i *image) referrersAt(repo name.Repository) (all []transfer.Image) {
	documents := i.digests()
	for _, r := range i.referrers {
		own := transfer.IsEvidence(r.Referrer, r.tree, documents)
		all = append(all, transfer.Referrer(i.name, transfer.ReferrerName(repo, r.Referrer), r.tree, own)...)
	}
	return all
}

// conflict describes a tag that names another digest at a destination.
func conflict(i transfer.Image, have v1.Hash) (what, todo string) {
	return fmt.Sprintf("promoting %s: %s is %s already, and this release is %s",
		i.Name, i.Ref, have, i.Tree.Desc.Digest), "promote a new version, or delete that tag if it is not in use"
}

// moveFloating moves floating tags, which is the last that is done at any destination.
func (p *promotion) moveFloating(ctx context.Context, done *Promoted) error {
	type tag struct {
		*Destination
		index int // in FloatingTags
		move  transfer.Move
		want  transfer.Current
	}
	var all []tag
	for n, to := range p.To {
		d := &done.Destinations[n]
		for _, i := range p.images {
			repo, err := name.NewRepository(p.target(i, to))
			if err != nil {
				return err
			}
			for _, t := range i.floating {
				ref, tree := repo.Tag(t.tag), p.treeAt(n, i, t)
				want := transfer.Current{Digest: tree.Desc.Digest, Stamp: transfer.StampOf(t.tree).Or(i.stamp)}
				all = append(all, tag{d, len(d.FloatingTags), transfer.Move{Ref: ref, Tree: tree}, want})
				d.FloatingTags = append(d.FloatingTags, FloatingTag{Reference: ref.Name(), Digest: tree.Desc.Digest})
			}
		}
	}
	err := transfer.Each(ctx, p.client, all, func(ctx context.Context, n int, t tag) error {
		now, err := p.client.Current(ctx, t.move.Ref)
		out := &t.FloatingTags[t.index]
		out.From, all[n].move.From = now.Digest, now.Digest
		out.Moved, out.Reason = transfer.Decide(p.Floating, now, t.want)
		return err
	})
	if err != nil {
		return err
	}
	var moves []transfer.Move
	for _, t := range all {
		if t.FloatingTags[t.index].Moved {
			moves = append(moves, t.move)
		}
	}
	moved, err := p.client.Move(ctx, moves)
	if err != nil {
		for n, m := range moves {
			if moved[n] {
				p.Registry.Progress.Printf("%s moved to %s", m.Ref, m.Tree.Desc.Digest)
			}
		}
	}
	return err
}
