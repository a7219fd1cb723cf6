package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// decide fills in for every floating tag of images what it names, and whether it moves to the
// release.
func decide(ctx context.Context, c *transfer.Client, p *product.Product, st *store.Store, l *lock.Lock,
	images []lock.Image,
) error {
	var list []transfer.Floating
	var tags []*lock.FloatingTag
	for n, i := range images {
		if len(i.FloatingTags) == 0 {
			continue
		}
		tree, own, err := stamp(p, st, l, i)
		if err != nil {
			return err
		}
		images[n].FloatingTags = slices.Clone(i.FloatingTags)
		for k := range i.FloatingTags {
			t := &images[n].FloatingTags[k]
			ref, err := name.NewTag(t.Repository + ":" + t.Tag)
			if err != nil {
				return err
			}
			list, tags = append(list, transfer.Floating{Ref: ref, Tree: tree, Stamp: own}), append(tags, t)
		}
	}
	decided, err := c.Decide(ctx, p.Floating, list)
	if err != nil {
		return err
	}
	for n, d := range decided {
		tags[n].From, tags[n].Kept = d.From, d.Kept
	}
	return nil
}

// stamp returns an image of the release, with its version and time. A chart states its own
// version.
func stamp(p *product.Product, st *store.Store, l *lock.Lock, i lock.Image) (*oci.Tree, imagetag.Stamp, error) {
	s := imagetag.Stamp{Version: l.Version, Created: l.Created}
	for _, want := range p.Images {
		if i.Kind != lock.KindChart && want.Name == i.Name && want.Version != "" {
			s.Version = want.Version
		}
	}
	raw, err := st.Get(i.Descriptor())
	if err != nil {
		return nil, s, err
	}
	t, err := oci.Parse(i.Descriptor(), raw)
	if err != nil {
		return nil, s, err
	}
	stamp := transfer.StampOf(t)
	if i.Kind != lock.KindChart {
		stamp.Version = ""
	}
	return t, stamp.Or(s), nil
}

// Move moves the floating tags of l that are to move, in all registries, as the last act of a
// release: a run that ends before has moved none. The images must be published.
func Move(ctx context.Context, st *store.Store, l *lock.Lock, o network.Options) error {
	if l.Snapshot {
		return nil
	}
	var moves []transfer.Move
	for _, i := range l.Published() {
		raw, err := st.Get(i.Descriptor())
		if err != nil {
			return fmt.Errorf("moving the tags of %s: %w", i.Name, err)
		}
		for _, t := range i.FloatingTags {
			if t.Kept != "" {
				o.Progress.Printf("%s:%s stays: %s", t.Repository, t.Tag, t.Kept)
				continue
			}
			ref, err := name.NewTag(t.Repository + ":" + t.Tag)
			if err != nil {
				return err
			}
			moves = append(moves,
				transfer.Move{Ref: ref, Tree: &oci.Tree{Desc: i.Descriptor(), Raw: raw}, From: t.From})
		}
	}
	if len(moves) == 0 {
		return nil
	}
	moved, err := transfer.New(o).Move(ctx, moves)
	for n, m := range moves {
		if moved[n] {
			before := ", and is new"
			if m.From != (v1.Hash{}) {
				before = ", and was " + m.From.String()
			}
			o.Progress.Printf("%s moved to %s%s", m.Ref, m.Tree.Desc.Digest, before)
		}
	}
	return err
}
