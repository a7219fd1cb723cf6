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
// build may have made more than publish is to push, but never less. For a complete p, anything
// more in l is an error, too: it was built from another slipway.yaml.
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
		rest, err := restrict(st, i, want)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", want.Name, err)
		}
		if len(p.Selected) == 0 && len(rest.Children) < len(i.Children) {
			return nil, fmt.Errorf("publishing %s: the lock has platforms of it that %s has not: build it again", want.Name, p.Path)
		}
		images = append(images, rest)
	}
	for _, i := range l.Images {
		known := slices.ContainsFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
		if len(p.Selected) == 0 && !known {
			return nil, fmt.Errorf("publishing %s: %s has no such image: build again", i.Name, p.Path)
		}
	}
	return images, nil
}

// built tells, for an error, which parts a partial lock has.
func built(l *lock.Lock) string {
	if len(l.Partial) == 0 {
		return ""
	}
	return fmt.Sprintf(", because only %v was built", l.Partial)
}

// unbuilt returns the first platform that an image should have and lacks. A single manifest is
// for all platforms of its image.
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

// restrict removes an image's other platforms. The index over the rest is in the store only, like
// every index of a partial release.
func restrict(st *store.Store, i lock.Image, want product.Image) (lock.Image, error) {
	if !i.MediaType.IsIndex() {
		return i, nil
	}
	rest := i
	rest.Children = slices.DeleteFunc(slices.Clone(i.Children), func(c lock.Child) bool {
		return !slices.ContainsFunc(want.Platforms, func(p platform.Platform) bool { return isFor(c, p) })
	})
	if len(rest.Children) == len(i.Children) {
		return i, nil
	}
	about, err := annotations(st, i)
	if err != nil {
		return i, err
	}
	raw, err := oci.MakeIndex(descriptors(rest), about)
	if err != nil {
		return i, err
	}
	rest.Digest, err = st.PutBytes(raw)
	rest.Size = int64(len(raw))
	return rest, err
}

// isFor reports whether a child is the one for a platform.
func isFor(c lock.Child, p platform.Platform) bool {
	return platform.Same(c.Platform, p)
}

// descriptors returns the descriptors of an image's children, as an index lists them.
func descriptors(i lock.Image) []v1.Descriptor {
	var all []v1.Descriptor
	for _, c := range i.Children {
		all = append(all, v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size, Platform: c.Platform.V1()})
	}
	return all
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
