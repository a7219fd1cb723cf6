package publish

import (
	"context"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// withBases lets the plan leave layers of bases to the registry where it has them, or mounts
// them. What it lacks is fetched from the base when it is about to be sent, and is in the store
// from then on.
func (p *plan) withBases(ctx context.Context, c *client, st *store.Store) {
	from := map[v1.Hash]download{}
	for _, i := range p.images {
		for _, m := range append([]Manifest{i.Top}, i.Children...) {
			if m.Base == nil {
				continue
			}
			for _, b := range m.Blobs {
				if !st.Has(b.Digest) {
					from[b.Digest] = download{b, &wanted{ref: m.Base, text: m.Base.String()}}
				}
			}
		}
	}
	if len(from) == 0 {
		return
	}
	open := p.source.Open
	p.source.Lacks = func(h v1.Hash) bool { _, ok := from[h]; return ok }
	p.source.Open = func(h v1.Hash) (io.ReadCloser, error) {
		if b, ok := from[h]; ok && !st.Has(h) {
			if err := c.fetchLayer(ctx, st, b); err != nil {
				return nil, err
			}
		}
		return open(h)
	}
}

// fetchLayer brings a layer of a base into the store.
func (c *client) fetchLayer(ctx context.Context, st *store.Store, b download) (err error) {
	repo := b.of.ref.Context()
	if _, err := c.Session(ctx, repo, repo.Scope(transport.PullScope)); err != nil {
		return fmt.Errorf("fetching %s: %w", b.of.text, network.Clean(err))
	}
	t := c.o.Progress.Start("fetch "+repo.Digest(b.desc.Digest.String()).String(), progress.Bytes, b.desc.Size)
	if err := b.get(ctx, c, st, t); err != nil {
		t.Fail()
		// the store does not know which of the layers that it lacks are the base's
		if network.Missing(err) {
			err = fmt.Errorf("%w: unless the registry has lost it, it is a layer of this release that is missing from the store: run %s again",
				err, howto.Run("build"))
		}
		return fmt.Errorf("fetching blob %s of %s: %w", b.desc.Digest, b.of.text, network.Clean(err))
	}
	t.Done("%s", progress.Size(b.desc.Size))
	return nil
}
