package publish

import (
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// selection returns the images of r that p consists of, in p's order and with p's platforms only:
// build may have made more than publish is to push, but never less. What r has beyond a p that is
// complete is an error, too, for it was built from another slipway.yaml.
func selection(p *product.Product, st *store.Store, r *built.Result) ([]lock.PartImage, error) {
	var images []lock.PartImage
	for _, want := range p.Images {
		i, ok := r.Image(want.Name)
		if !ok {
			return nil, fmt.Errorf("publishing %s: build made none%s: build it first, or select what was built with -images", want.Name, because(r))
		}
		if lacks, ok := unbuilt(i.MediaType, i.Children, want); ok {
			return nil, fmt.Errorf("publishing %s: build made none for %s%s: build it first, or select what was built with -platforms", want.Name, lacks, because(r))
		}
		restricted, err := restrict(st, i, want)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", want.Name, err)
		}
		if len(p.Selected) == 0 && len(restricted.Children) < len(i.Children) {
			return nil, fmt.Errorf("publishing %s: build made platforms of it that %s has not: build it again", want.Name, p.Path)
		}
		images = append(images, restricted)
	}
	for _, i := range r.Images {
		known := slices.ContainsFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
		if len(p.Selected) == 0 && !known {
			return nil, fmt.Errorf("publishing %s: %s has no such image: build again", i.Name, p.Path)
		}
	}
	return images, nil
}

// because states what was built, if that is not all of the product.
func because(r *built.Result) string {
	if len(r.Selected) == 0 {
		return ""
	}
	return fmt.Sprintf(", because only %v was built", r.Selected)
}

// unbuilt returns the first platform that an image should have and has not. A single manifest
// serves all of its platforms.
func unbuilt(mt types.MediaType, children []lock.Child, want product.Image) (platform.Platform, bool) {
	if !mt.IsIndex() {
		return platform.Platform{}, false
	}
	for _, p := range want.Platforms {
		if !slices.ContainsFunc(children, func(c lock.Child) bool { return platform.Same(c.Platform, p) }) {
			return p, true
		}
	}
	return platform.Platform{}, false
}

// restrict returns an image with p's platforms only, and with the annotations of its index.
func restrict(st *store.Store, i built.Image, want product.Image) (lock.PartImage, error) {
	out := lock.PartImage{Name: i.Name, Kind: i.Kind, MediaType: i.MediaType, Children: i.Children}
	if !i.MediaType.IsIndex() {
		return out, nil
	}
	out.Children = slices.DeleteFunc(slices.Clone(i.Children), func(c lock.Child) bool {
		return !slices.ContainsFunc(want.Platforms, func(p platform.Platform) bool { return platform.Same(c.Platform, p) })
	})
	d := v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}
	raw, err := st.Get(d)
	if err != nil {
		return out, err
	}
	t, err := oci.Parse(d, raw)
	if err != nil {
		return out, err
	}
	out.Annotations = t.Annotations
	return out, nil
}

// union joins what two stages have selected, each name once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
