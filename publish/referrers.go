package publish

import (
	"context"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

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
// there, but for the images that isNew reports: nothing refers to a new one.
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

// attachment is a referrer that the release brings to its registries.
type attachment struct {
	oci.Referrer

	own bool // it is, or has, evidence of the release: every registry must have it
}

// sends reports whether the registries are sent an attachment at all.
func (r *Prepared) sends(a attachment) bool { return a.own || r.product.Referrers != oci.ReferrersNone }

// unlist takes the referrers that the first registry did not get out of the lock: whoever reads
// the lock looks for them there.
func (r *Prepared) unlist() {
	if len(r.Omitted) == 0 {
		return
	}
	for n, i := range r.Lock.Published() {
		if n < len(r.Lock.Images) {
			r.Lock.Images[n].Children = r.without(i.Repository, i.Children)
		}
		if r.product.Referrers == oci.ReferrersNone {
			continue // the lock has only those that are there from an earlier run
		}
		listed, _ := r.reported(n)
		*listed = slices.DeleteFunc(slices.Clone(*listed), func(o oci.Referrer) bool {
			return r.omitted(i.Repository, o.Digest)
		})
	}
}

// omitted reports whether a repository did not get a referrer.
func (r *Prepared) omitted(repository string, h v1.Hash) bool {
	repo, err := name.NewRepository(repository) // Docker Hub has several names
	return err == nil && slices.ContainsFunc(r.Omitted, func(o transfer.OmittedReferrer) bool {
		return o.Digest == h && o.Repository == repo.Name()
	})
}

// without returns the manifests of an image, and for those of other builders the referrers that
// came along, without those that the repository did not get.
func (r *Prepared) without(repository string, all []lock.Child) []lock.Child {
	all = slices.Clone(all)
	for n := range all {
		if all[n].Prebuilt == nil {
			continue
		}
		taken := *all[n].Prebuilt
		taken.Referrers = slices.DeleteFunc(slices.Clone(taken.Referrers), func(o oci.Referrer) bool {
			return r.omitted(repository, o.Digest)
		})
		all[n].Prebuilt = &taken
	}
	return all
}
