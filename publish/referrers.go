package publish

import (
	"context"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

const kindReferrers = "referrers"

func recordKey(s *transfer.Subject) string { return s.Repo.Name() + "@" + s.Digests[0].String() }

// recall reports whether the store has a record of the referrers of an image, and has them all.
func recall(st *store.Store, s *transfer.Subject) (bool, error) {
	var all []oci.Referrer
	if ok, err := st.Recall(kindReferrers, recordKey(s), &all); !ok || err != nil {
		return false, err
	}
	for _, r := range all {
		if _, complete, err := st.Tree(r.Descriptor()); !complete || err != nil {
			return false, err
		}
	}
	s.Referrers = all
	return true, nil
}

// fetchReferrers fetches what others, such as cosign, have attached to images, and lists it
// there. It asks for the images that isNew does not report: nothing refers to a new one.
func fetchReferrers(ctx context.Context, c *transfer.Client, st *store.Store,
	all []lock.Image, isNew func(lock.Image) bool,
) error {
	var subjects []*transfer.Subject
	var images []*lock.Image
	for n := range all {
		i := &all[n]
		if isNew(*i) {
			continue
		}
		repo, err := name.NewRepository(i.Repository)
		if err != nil {
			return err
		}
		s := &transfer.Subject{Repo: repo, Name: i.Tagged(), FewTags: true}
		for _, d := range i.Documents() {
			s.Digests = append(s.Digests, d.Digest)
		}
		subjects, images = append(subjects, s), append(images, i)
	}
	if err := c.FetchReferrers(ctx, st, subjects); err != nil {
		return err
	}
	for n, s := range subjects {
		images[n].Referrers = s.Referrers
	}
	return nil
}
