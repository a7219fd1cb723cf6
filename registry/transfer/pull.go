package transfer

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Pull brings everything that a lock names into st, from the registries that have it: what another
// machine has built and published can then be packed or served here. What st has already is not
// fetched. No registry has a snapshot.
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
