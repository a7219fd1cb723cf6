package transfer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// FromStore returns a source that gives blobs of st. Layers of bases that st lacks are left to
// the registry, if it has or mounts them. Otherwise they are fetched from the base when they are
// about to be sent, and are in the store from then on.
func (c *Client) FromStore(ctx context.Context, st *store.Store, images []Image) Source {
	inBase := basesOf(st, images)
	if len(inBase) == 0 {
		return Source{Open: st.Open}
	}
	return Source{
		Has: func(h v1.Hash) bool { _, ok := inBase[h]; return !ok },
		Open: func(h v1.Hash) (io.ReadCloser, error) {
			if b, ok := inBase[h]; ok && !st.Has(h) {
				if err := c.fetchLayer(ctx, st, b); err != nil {
					return nil, err
				}
			}
			return st.Open(h)
		},
	}
}

// FetchBases brings the layers of bases that st lacks into it, but for those of manifests that
// the registry of the images has: [Client.Pull] finds these there.
func (c *Client) FetchBases(ctx context.Context, st *store.Store, images []Image) error {
	var lacking []Image
	for _, i := range images {
		for _, m := range i.documents() {
			if one := (Image{Ref: i.Ref, Tree: m, Bases: i.Bases, ByDigest: true}); len(basesOf(st, []Image{one})) > 0 {
				lacking = append(lacking, one)
			}
		}
	}
	there := make([]bool, len(lacking))
	err := Each(ctx, c, lacking, func(ctx context.Context, n int, i Image) error {
		repo := i.Ref.Context()
		if _, err := c.Session(ctx, repo, repo.Scope(transport.PushScope)); err != nil {
			return fmt.Errorf("connecting to %s: %w", repo, err)
		}
		have, err := c.Lookup(ctx, repo.Digest(i.Tree.Desc.Digest.String()))
		there[n] = have != nil
		return err
	})
	if err != nil {
		return err
	}
	var absent []Image
	for n, i := range lacking {
		if !there[n] {
			absent = append(absent, i)
		}
	}
	inBase := basesOf(st, absent)
	digests := slices.SortedFunc(maps.Keys(inBase), func(a, b v1.Hash) int { return cmp.Compare(a.Hex, b.Hex) })
	return Each(ctx, c, digests, func(ctx context.Context, _ int, h v1.Hash) error {
		return c.fetchLayer(ctx, st, inBase[h])
	})
}

// basesOf returns the layers that st lacks and the base of an image may have.
func basesOf(st *store.Store, images []Image) map[v1.Hash]download {
	all := map[v1.Hash]download{}
	for _, i := range images {
		for _, m := range i.documents() {
			base := i.Bases[m.Desc.Digest]
			if base == nil {
				continue
			}
			for _, b := range m.Layers {
				if !st.Has(b.Digest) {
					all[b.Digest] = download{b, &Wanted{Ref: base, Name: base.String()}}
				}
			}
		}
	}
	return all
}

// fetchLayer brings a layer of a base into the store.
func (c *Client) fetchLayer(ctx context.Context, st *store.Store, b download) (err error) {
	repo := b.of.Ref.Context()
	if _, err := c.Session(ctx, repo, repo.Scope(transport.PullScope)); err != nil {
		return fmt.Errorf("fetching %s: %w", b.of.Name, network.Clean(err))
	}
	t := c.o.Progress.Start("fetch "+repo.Digest(b.desc.Digest.String()).String(), progress.Bytes, b.desc.Size)
	if err := b.get(ctx, c, st, t); err != nil {
		t.Fail()
		// the store does not know which of the layers that it lacks belong to the base
		if outcome.Of(err) == outcome.Absent {
			err = fmt.Errorf("%w: unless the registry has lost it, "+
				"it is a layer of this release that is missing from the store: run %s again",
				err, howto.Run("stage build"))
		}
		return fmt.Errorf("fetching blob %s of %s: %w", b.desc.Digest, b.of.Name, network.Clean(err))
	}
	t.Done("%s", progress.Size(b.desc.Size))
	return nil
}
