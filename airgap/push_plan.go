package airgap

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
)

// selected lists what is to be pushed, and notes in p the names of that, and what is left out.
func (c *cargo) selected(o PushOptions, p *Pushed) ([]transfer.Image, error) {
	s, err := newSelection(o.Platforms)
	if err != nil {
		return nil, err
	}
	var images, referrers []transfer.Image
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
		if slices.ContainsFunc(img.Tree.Children, func(t *oci.Tree) bool { return t.Presence != oci.Included }) {
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
func (c *cargo) image(i Image, children []Child, to string) (transfer.Image, error) {
	ref, err := retarget(i.Name, to)
	if err != nil {
		return transfer.Image{}, err
	}
	tree, err := oci.Read(v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest}, func(d v1.Descriptor) ([]byte, error) {
		if d.Digest != i.Digest && !slices.ContainsFunc(children, func(c Child) bool { return c.Digest == d.Digest }) {
			return nil, oci.ErrAbsent
		}
		return c.raw(d.Digest)
	}, oci.Limits{})
	return transfer.Image{Name: i.Name, Ref: ref, Tree: tree}, err
}
