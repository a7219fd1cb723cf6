package airgap

import (
	"encoding/json"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/publish"
)

// referrers lists what is about an image, about the children of it that are pushed, or about one
// another.
func (c *cargo) referrers(i Image, children []Child, repo name.Repository) ([]publish.Image, error) {
	about := map[v1.Hash]bool{{}: true, i.Digest: true} // none given means the image
	for _, child := range children {
		about[child.Digest] = true
	}
	var all []publish.Image
	for _, r := range i.Referrers {
		if !about[r.Subject] {
			continue
		}
		about[r.Digest] = true
		var ref name.Reference = repo.Digest(r.Digest.String())
		if r.Tag != "" {
			ref = repo.Tag(r.Tag)
		}
		below, err := c.below(v1.Descriptor{MediaType: r.MediaType, Digest: r.Digest}, repo, i.Name)
		if err != nil {
			return nil, fmt.Errorf("%s, which refers to it: %w", r.Digest, err)
		}
		below[len(below)-1].Ref = ref
		all = append(all, below...)
	}
	return all, nil
}

// below lists a referrer's manifest and everything under it, which comes first.
func (c *cargo) below(d v1.Descriptor, repo name.Repository, of string) ([]publish.Image, error) {
	top, err := c.manifest(d)
	if err != nil {
		return nil, err
	}
	var all []publish.Image
	if d.MediaType.IsIndex() {
		var index v1.IndexManifest
		if err := json.Unmarshal(top.Raw, &index); err != nil {
			return nil, fmt.Errorf("reading index %s: %w", d.Digest, err)
		}
		for _, m := range index.Manifests {
			more, err := c.below(m, repo, of)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return append(all, publish.Image{Name: of, Ref: repo.Digest(d.Digest.String()), Top: top, Referrer: true}), nil
}
