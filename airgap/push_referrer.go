package airgap

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
)

// referrers lists what is about an image, about the children of it that are pushed, or about one
// another.
func (c *cargo) referrers(i Image, children []Child, repo name.Repository) ([]transfer.Image, error) {
	about := map[v1.Hash]bool{{}: true, i.Digest: true} // none given means the image
	for _, child := range children {
		about[child.Digest] = true
	}
	var all []transfer.Image
	for _, r := range i.Referrers {
		if !about[r.Subject] {
			continue
		}
		about[r.Digest] = true
		var ref name.Reference = repo.Digest(r.Digest.String())
		if r.Tag != "" {
			ref = repo.Tag(r.Tag)
		}
		tree, err := oci.Read(v1.Descriptor{MediaType: r.MediaType, Digest: r.Digest}, func(d v1.Descriptor) ([]byte, error) { return c.raw(d.Digest) }, oci.Limits{})
		if err != nil {
			return nil, fmt.Errorf("%s, which refers to it: %w", r.Digest, err)
		}
		all = append(all, transfer.Referrer(i.Name, ref, tree)...)
	}
	return all, nil
}
