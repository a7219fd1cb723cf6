package promote

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/registry/transfer"
)

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
