package airgap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/publish"
)

// selected lists what is to be pushed, and notes in p the names of that, and what is left out.
func (c *cargo) selected(o PushOptions, p *Pushed) ([]publish.Image, error) {
	s, err := newSelection(o.Platforms)
	if err != nil {
		return nil, err
	}
	var images, referrers []publish.Image
	var sparse []string
	for _, i := range c.images {
		children, err := s.choose(i.Children)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
		if len(children) == 0 {
			p.LeftOut = append(p.LeftOut, LeftOut{i.Name, "it has none of the platforms selected"})
			continue
		}
		img, err := c.image(i, children, o.To)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
		if len(img.Missing) > 0 {
			sparse = append(sparse, i.Name)
		}
		about, err := c.referrers(i, children, img.Ref.Context())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
		images, referrers = append(images, img), append(referrers, about...)
		p.Images = append(p.Images, PushedImage{Name: i.Name, Target: img.Ref.Name(), Reference: img.Ref.Context().Name() + "@" + i.Digest.String()})
	}
	if idle := s.idle(); idle != "" {
		return nil, fmt.Errorf("-platforms %s: no image of the bundle has it: %s lists what there is", idle, howto.Run("airgap inspect"))
	}
	if len(s) == 0 && len(sparse) > 0 {
		has := c.platforms()
		return nil, fmt.Errorf("the bundle holds only %s of %s: push the bundle for all platforms, which every registry takes; "+
			"or, to a registry that takes indexes without all their platforms, push this one with -platforms %s", has, strings.Join(sparse, ", "), has)
	}
	p.Referrers = len(referrers)
	return append(images, referrers...), nil
}

// image reads what is pushed of one image.
func (c *cargo) image(i Image, children []Child, to string) (publish.Image, error) {
	ref, err := retarget(i.Name, to)
	if err != nil {
		return publish.Image{}, err
	}
	img := publish.Image{Name: i.Name, Ref: ref}
	img.Top, err = c.manifest(v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest})
	if err != nil || !i.MediaType.IsIndex() {
		return img, err
	}
	var index v1.IndexManifest
	if err := json.Unmarshal(img.Top.Raw, &index); err != nil {
		return publish.Image{}, fmt.Errorf("reading index %s: %w", i.Digest, err)
	}
	for _, d := range index.Manifests {
		if !slices.ContainsFunc(children, func(o Child) bool { return o.Digest == d.Digest }) {
			img.Missing = append(img.Missing, d)
			continue
		}
		m, err := c.manifest(d)
		if err != nil {
			return publish.Image{}, err
		}
		img.Children = append(img.Children, m)
	}
	return img, nil
}

// manifest reads an index, or a manifest and the blobs it refers to.
func (c *cargo) manifest(d v1.Descriptor) (publish.Manifest, error) {
	raw, err := c.raw(d.Digest)
	if err != nil {
		return publish.Manifest{}, err
	}
	d.Size = int64(len(raw))
	m := publish.Manifest{Descriptor: d, Raw: raw}
	if d.MediaType.IsIndex() {
		return m, nil
	}
	var doc v1.Manifest
	if err := json.Unmarshal(raw, &doc); err != nil {
		return publish.Manifest{}, fmt.Errorf("reading manifest %s: %w", d.Digest, err)
	}
	m.Blobs = append([]v1.Descriptor{doc.Config}, doc.Layers...)
	return m, nil
}

// platformOf names a manifest of an index: an attestation, which is about no platform, by its
// digest.
func platformOf(d v1.Descriptor) string {
	if d.Platform == nil || d.Platform.OS == "unknown" {
		return d.Digest.String()
	}
	return platform.Format(*d.Platform)
}
