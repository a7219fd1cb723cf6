package publish

import (
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// attachment is a referrer that the release brings to its registries.
type attachment struct {
	oci.Referrer

	own bool // it is, or has, evidence of the release: every registry must have it
}

// sends reports whether the registries are sent an attachment at all.
func (r *Prepared) sends(a attachment) bool { return a.own || r.product.Referrers != oci.ReferrersNone }

// unlist takes the referrers that the first registry did not get out of the lock: whoever reads the
// lock looks for them there.
func (r *Prepared) unlist() {
	if len(r.Omitted) == 0 {
		return
	}
	for n, i := range r.Lock.Published() {
		if n < len(r.Lock.Images) {
			r.Lock.Images[n].Children = r.without(i.Repository, i.Children)
		}
		if r.product.Referrers == oci.ReferrersNone {
			continue // the lock has none but those that are there from an earlier run
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
