package transfer

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Wanted is an image to fetch.
type Wanted struct {
	Ref    name.Reference
	Name   string // as the user wrote it, for messages
	Remedy string // what to do if it cannot be read; may be empty
	// Done is called with the image once all of it is in the store; may be nil.
	Done func(*oci.Tree) error

	tree *oci.Tree
}

// Fetch brings images into the store: first it reads their manifests, then it fetches the blobs
// that the store lacks, each once; a run that was stopped continues where it was. Manifests are
// written last, children before indexes, so that a manifest in the store has its blobs.
func (c *Client) Fetch(ctx context.Context, st *store.Store, list []*Wanted) (err error) {
	err = Each(ctx, c, list, func(ctx context.Context, _ int, w *Wanted) error {
		err := w.read(ctx, c, st)
		switch {
		case err == nil:
			return nil
		case w.Remedy == "" || ctx.Err() != nil:
			return fmt.Errorf("fetching %s: %w", w.Name, network.Clean(err))
		}
		return fmt.Errorf("fetching %s: %w: %s", w.Name, network.Clean(err), w.Remedy)
	})
	if err != nil {
		return err
	}
	if err := c.fetchBlobs(ctx, st, list); err != nil {
		return err
	}
	for _, w := range list {
		if err := w.write(st); err != nil {
			return fmt.Errorf("fetching %s: %w", w.Name, err)
		}
	}
	return nil
}

// read resolves the reference and reads every manifest below it: from the store, if there is one
// that has it, or else from the registry. A digest that the store has needs no resolving.
func (w *Wanted) read(ctx context.Context, c *Client, st *store.Store) error {
	if st != nil {
		tree, complete, err := InStore(st, w.Ref)
		if w.tree = tree; complete || err != nil {
			return err
		}
	}
	top, err := c.Get(ctx, w.Ref)
	if err != nil {
		return err
	}
	remote := network.Listed(c.Manifests(ctx, w.Ref.Context()))
	w.tree, err = oci.Read(v1.Descriptor{MediaType: top.MediaType, Digest: top.Digest, Size: top.Size},
		func(d v1.Descriptor) ([]byte, error) {
			if d.Digest == top.Digest {
				return top.Manifest, nil
			}
			if st != nil && st.Has(d.Digest) {
				return st.Get(d)
			}
			return remote(d)
		}, oci.Limits{})
	return err
}

// write puts the manifests into the store.
func (w *Wanted) write(st *store.Store) error {
	for t := range w.tree.All() {
		if err := st.Put(t.Desc.Digest, bytes.NewReader(t.Raw)); err != nil {
			return err
		}
	}
	if w.Done == nil {
		return nil
	}
	return w.Done(w.tree)
}

// download is a blob that the store lacks.
type download struct {
	desc v1.Descriptor
	of   *Wanted
}

func (c *Client) fetchBlobs(ctx context.Context, st *store.Store, list []*Wanted) error {
	blobs, total, err := missing(st, list)
	if err != nil || len(blobs) == 0 {
		return err
	}
	var sizes []v1.Descriptor
	largest := blobs[0]
	for _, b := range blobs {
		if sizes = append(sizes, b.desc); b.desc.Size > largest.desc.Size {
			largest = b
		}
	}
	if err := st.Room(sizes...); err != nil { // before any of them is fetched
		return fmt.Errorf("fetching %s: %w", largest.of.Name, err)
	}
	t := c.o.Progress.Start("fetch", progress.Bytes, total)
	err = Each(ctx, c, blobs, func(ctx context.Context, _ int, b download) error {
		if err := b.get(ctx, c, st, t); err != nil {
			return fmt.Errorf("fetching %s: %w", b.of.Name, network.Clean(err))
		}
		return nil
	})
	if err != nil {
		t.Fail()
		return err
	}
	t.Done("%d images, %s in %d blobs", len(list), progress.Size(total), len(blobs))
	return nil
}

// missing lists the blobs to fetch, each once, and their bytes in all.
func missing(st *store.Store, list []*Wanted) (all []download, total int64, err error) {
	seen := map[v1.Hash]bool{}
	for _, w := range list {
		for t := range w.tree.All() {
			lacks, err := st.Missing(t.Blobs()...)
			if err != nil {
				return nil, 0, fmt.Errorf("fetching %s: %w", w.Name, err)
			}
			for _, b := range lacks {
				if !seen[b.Digest] {
					seen[b.Digest] = true
					all = append(all, download{b, w})
					total += b.Size
				}
			}
		}
	}
	return all, total, nil
}

// get reads the blob over as many connections as it takes: one that breaks off again and again
// brings the layers of Windows bases, of some GB, too.
func (b download) get(ctx context.Context, c *Client, st *store.Store, t *progress.Task) error {
	r, err := c.Stream(ctx, b.of.Ref.Context(), b.desc)
	if err != nil {
		return err
	}
	defer r.Close()
	m := progress.Meter{Task: t}
	if err := st.Put(b.desc.Digest, io.TeeReader(r, &m)); err != nil {
		m.Rewind()
		return err
	}
	return nil
}

// Pull brings everything that a lock names into st, from the registries that have it: what
// another machine has built and published can then be packed or served here. What st has already
// is not fetched. No registry has a snapshot.
func (c *Client) Pull(ctx context.Context, st *store.Store, l *lock.Lock) error {
	if l.Snapshot {
		return fmt.Errorf("pulling %s %s: it is a snapshot, which no registry has: build it here", l.Name, l.Version)
	}
	var list []*Wanted
	want := func(reference string, digest v1.Hash) error {
		ref, err := name.ParseReference(reference)
		if err != nil {
			return fmt.Errorf("pulling %s: %w", reference, err)
		}
		pinned := ref.Context().Digest(digest.String())
		if _, complete, err := InStore(st, pinned); err != nil || complete {
			return err
		}
		list = append(list, &Wanted{Ref: pinned, Name: reference})
		return nil
	}
	for _, i := range l.Published() {
		for _, c := range i.Children {
			if err := want(i.Repository, c.Digest); err != nil {
				return err
			}
		}
		if i.Kind == lock.KindChart || !st.Has(i.Digest) { // an index that was made here may not be in the registry yet
			if err := want(i.Tagged(), i.Digest); err != nil {
				return err
			}
		}
		for _, r := range i.Referrers {
			if err := want(i.Repository, r.Digest); err != nil {
				return err
			}
		}
	}
	for _, t := range l.ThirdParty {
		if t.Omitted == "" {
			if err := want(t.Reference, t.Digest); err != nil {
				return err
			}
		}
		for _, r := range t.Referrers {
			if err := want(t.Reference, r.Digest); err != nil {
				return err
			}
		}
	}
	return c.Fetch(ctx, st, list)
}

// InStore looks for an image by digest in the store. The image is complete if everything that it
// consists of is there. Nothing is in the store by tag, since the registry may have moved it.
func InStore(st *store.Store, ref name.Reference) (tree *oci.Tree, complete bool, err error) {
	d, ok := ref.(name.Digest)
	if !ok {
		return nil, false, nil
	}
	h, err := v1.NewHash(d.DigestStr())
	if err != nil {
		return nil, false, err
	}
	return st.Tree(v1.Descriptor{Digest: h})
}
