package publish

import (
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// selection returns the images of l that p consists of, in p's order and with p's platforms only:
// build may have made more than publish is to push, but never less. What l has beyond a p that is
// whole is an error too, for it was built from another slipway.yaml.
func selection(p *product.Product, st *store.Store, l *lock.Lock) ([]lock.Image, error) {
	var images []lock.Image
	for _, want := range p.Images {
		i, ok := l.Image(want.Name)
		if !ok {
			return nil, fmt.Errorf("publishing %s: the lock has none%s: build it first, or select what was built with -only", want.Name, built(l))
		}
		if lacks, ok := unbuilt(i, want); ok {
			return nil, fmt.Errorf("publishing %s: the lock has none for %s%s: build it first, or select what was built with -platforms", want.Name, lacks, built(l))
		}
		cut, err := restrict(st, i, want)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", want.Name, err)
		}
		if len(p.Selected) == 0 && len(cut.Children) < len(i.Children) {
			return nil, fmt.Errorf("publishing %s: the lock has platforms of it that %s has not: build it again", want.Name, p.Path)
		}
		images = append(images, cut)
	}
	for _, i := range l.Images {
		known := slices.ContainsFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
		if len(p.Selected) == 0 && !known {
			return nil, fmt.Errorf("publishing %s: %s has no such image: build again", i.Name, p.Path)
		}
	}
	return images, nil
}

// built says what of the product a partial lock has.
func built(l *lock.Lock) string {
	if len(l.Partial) == 0 {
		return ""
	}
	return fmt.Sprintf(", because only %v was built", l.Partial)
}

// unbuilt returns the first platform that an image should have and has not. A single manifest
// carries all of its systems.
func unbuilt(i lock.Image, want product.Image) (platform.Platform, bool) {
	if !i.MediaType.IsIndex() {
		return platform.Platform{}, false
	}
	for _, p := range want.Platforms {
		if !slices.ContainsFunc(i.Children, func(c lock.Child) bool { return isFor(c, p) }) {
			return p, true
		}
	}
	return platform.Platform{}, false
}

// restrict takes an image's other platforms away. The index over those that are left exists in
// the store only, like every index of a release that is not whole.
func restrict(st *store.Store, i lock.Image, want product.Image) (lock.Image, error) {
	if !i.MediaType.IsIndex() {
		return i, nil
	}
	cut := i
	cut.Children = slices.DeleteFunc(slices.Clone(i.Children), func(c lock.Child) bool {
		return !slices.ContainsFunc(want.Platforms, func(p platform.Platform) bool { return isFor(c, p) })
	})
	if len(cut.Children) == len(i.Children) {
		return i, nil
	}
	about, err := annotations(st, i)
	if err != nil {
		return i, err
	}
	raw, err := oci.MakeIndex(descriptors(cut), about)
	if err != nil {
		return i, err
	}
	cut.Digest, err = st.PutBytes(raw)
	cut.Size = int64(len(raw))
	return cut, err
}

// isFor reports whether a child is the one for a platform.
func isFor(c lock.Child, p platform.Platform) bool {
	return platform.Same(c.Platform, p)
}

// descriptors are those of an image's children, as an index has them.
func descriptors(i lock.Image) []v1.Descriptor {
	var all []v1.Descriptor
	for _, c := range i.Children {
		all = append(all, v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size, Platform: c.Platform.V1()})
	}
	return all
}

// union joins what two stages selected, each name once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
