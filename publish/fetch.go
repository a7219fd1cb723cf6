package publish

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// wanted is an image to be fetched.
type wanted struct {
	ref    name.Reference
	text   string // as the user wrote it, for messages
	remedy string // what to do where it cannot be read; may be empty
	// is told what the reference stands for once all of it is in the store; may be nil
	found func(*node) error
	root  *node
}

// fetchAll brings images into the store: first their manifests, then the blobs that are not
// there, each once; a run that was stopped goes on where it was. Manifests are written last,
// children before indexes, so that one in the store has its blobs.
func fetchAll(ctx context.Context, c *client, st *store.Store, list []*wanted) (err error) {
	err = each(ctx, c.o.Jobs, list, func(ctx context.Context, w *wanted) error {
		err := w.read(ctx, c, st)
		switch {
		case err == nil:
			return nil
		case w.remedy == "" || ctx.Err() != nil:
			return fmt.Errorf("fetching %s: %w", w.text, network.Clean(err))
		}
		return fmt.Errorf("fetching %s: %w: %s", w.text, network.Clean(err), w.remedy)
	})
	if err != nil {
		return err
	}
	blobs, total, err := lacking(st, list)
	if err != nil {
		return err
	}
	if len(blobs) > 0 {
		t := c.o.Progress.Start("fetch", progress.Bytes, total)
		defer func() {
			if err != nil {
				t.Fail()
				return
			}
			t.Done("%d images, %s in %d blobs", len(list), progress.Size(total), len(blobs))
		}()
		err = each(ctx, c.o.Jobs, blobs, func(ctx context.Context, b download) error {
			if err := b.get(ctx, c, st, t); err != nil {
				return fmt.Errorf("fetching blob %s of %s: %w", b.desc.Digest, b.of.text, network.Clean(err))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, w := range list {
		if err := w.write(st); err != nil {
			return fmt.Errorf("fetching %s: %w", w.text, err)
		}
	}
	return nil
}

// read finds out what the reference stands for, and reads every manifest below it: from the
// store, or from the registry.
func (w *wanted) read(ctx context.Context, c *client, st *store.Store) error {
	repo := w.ref.Context()
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return err
	}
	top, err := s.Get(ctx, w.ref)
	if err != nil {
		return err
	}
	w.root, err = walk(v1.Descriptor{MediaType: top.MediaType, Digest: top.Digest, Size: top.Size}, func(d v1.Descriptor) ([]byte, error) {
		if d.Digest == top.Digest {
			return top.Manifest, nil
		}
		if st.Has(d.Digest) {
			return st.ReadAll(d.Digest, network.MaxManifest)
		}
		child, err := s.Get(ctx, repo.Digest(d.Digest.String()))
		if err != nil {
			return nil, err
		}
		return child.Manifest, nil
	}, maxDepth)
	return err
}

// write puts the manifests into the store.
func (w *wanted) write(st *store.Store) error {
	for n := range w.root.all {
		if err := st.Put(n.desc.Digest, bytes.NewReader(n.raw)); err != nil {
			return err
		}
	}
	if w.found == nil {
		return nil
	}
	return w.found(w.root)
}

// download is a blob that the store lacks.
type download struct {
	desc v1.Descriptor
	of   *wanted
}

// lacking lists the blobs to fetch, each once, and their bytes in all.
func lacking(st *store.Store, list []*wanted) (all []download, total int64, err error) {
	seen := map[v1.Hash]bool{}
	for _, w := range list {
		for n := range w.root.all {
			for _, b := range n.blobs {
				if seen[b.Digest] {
					continue
				}
				seen[b.Digest] = true
				switch here, err := st.Check(b); {
				case err != nil:
					return nil, 0, fmt.Errorf("fetching %s: %w", w.text, err)
				case !here:
					all = append(all, download{b, w})
					total += b.Size
				}
			}
		}
	}
	return all, total, nil
}

func (b download) get(ctx context.Context, c *client, st *store.Store, t *progress.Task) error {
	return c.Blob(ctx, b.of.ref.Context(), b.desc, func(r io.Reader) error {
		m := progress.Meter{Task: t}
		if err := st.Put(b.desc.Digest, io.TeeReader(r, &m)); err != nil {
			m.Rewind()
			return err
		}
		return nil
	})
}
