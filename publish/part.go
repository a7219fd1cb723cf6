package publish

import (
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// newPart returns what p selects of r, with the names that the images will have.
func newPart(p *product.Product, st *store.Store, r *built.Result) (*lock.Part, error) {
	images, err := selection(p, st, r)
	if err != nil {
		return nil, err
	}
	part := &lock.Part{
		PartVersion: lock.PartVersion, Selected: lock.Union(r.Selected, p.Selected),
		Release: lock.Release{
			Name: r.Name, Version: r.Version, Channel: p.Channel, Created: r.Created, Registry: registries(p)[0],
			Copies: copies(registries(p)), Go: r.Go, Snapshot: p.Snapshot(), Sources: r.Sources,
			Groups: groups(p),
		},
		Images: images, Artifacts: r.Artifacts, Compilers: r.Compilers, Prebuilt: r.Prebuilt, Materials: r.Materials,
	}
	part.Inventory = r.Inventory.Only(part.Has)
	for n := range part.Images {
		rename(p, &part.Images[n])
	}
	return part, refuseStubs(part)
}

// selection returns the images of r that p consists of, in p's order and with p's platforms only:
// build may have made more than publish is to push, but never less. What r has beyond a p that is
// complete is an error, too, for it was built from another slipway.yaml.
func selection(p *product.Product, st *store.Store, r *built.Result) ([]lock.PartImage, error) {
	because := ""
	if len(r.Selected) > 0 {
		because = fmt.Sprintf(", because only %v was built", r.Selected)
	}
	var images []lock.PartImage
	for _, want := range p.Images {
		i, ok := r.Image(want.Name)
		if !ok {
			return nil, fmt.Errorf("publishing %s: build made none%s: "+
				"build it first, or select what was built with -images", want.Name, because)
		}
		children, lacks, incomplete := restrict(i.MediaType, i.Children, want)
		if incomplete {
			return nil, fmt.Errorf("publishing %s: build made none for %s%s: "+
				"build it first, or select what was built with -platforms", want.Name, lacks, because)
		}
		annotations, err := annotationsOf(st, i)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", want.Name, err)
		}
		if len(p.Selected) == 0 && len(children) < len(i.Children) {
			return nil, fmt.Errorf("publishing %s: build made platforms of it that %s has not: build it again",
				want.Name, p.Path)
		}
		images = append(images, lock.PartImage{
			Name: i.Name, Kind: i.Kind, MediaType: i.MediaType,
			Annotations: annotations, Children: children,
		})
	}
	for _, i := range r.Images {
		known := slices.ContainsFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
		if len(p.Selected) == 0 && !known {
			return nil, fmt.Errorf("publishing %s: %s has no such image: build again", i.Name, p.Path)
		}
	}
	return images, nil
}

// restrict returns the children of an image for the platforms that it should have, and the first
// platform of these that it lacks. A single manifest serves all of them.
func restrict(mt types.MediaType, children []lock.Child,
	want product.Image,
) (kept []lock.Child, lacks platform.Platform, incomplete bool) {
	if !mt.IsIndex() {
		return children, lacks, false
	}
	found := make([]bool, len(want.Platforms))
	for _, c := range children {
		n := slices.IndexFunc(want.Platforms, func(p platform.Platform) bool { return platform.Same(c.Platform, p) })
		if n >= 0 {
			found[n], kept = true, append(kept, c)
		}
	}
	if n := slices.Index(found, false); n >= 0 {
		return kept, want.Platforms[n], true
	}
	return kept, lacks, false
}

// annotationsOf returns the annotations of the index of an image; none if it has no index.
func annotationsOf(st *store.Store, i built.Image) (map[string]string, error) {
	if !i.MediaType.IsIndex() {
		return nil, nil
	}
	d := v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}
	raw, err := st.Get(d)
	if err != nil {
		return nil, err
	}
	t, err := oci.Parse(d, raw)
	if err != nil {
		return nil, err
	}
	return t.Annotations, nil
}

// refuseStubs refuses to publish images on stub bases, which cannot run, but on this machine.
func refuseStubs(part *lock.Part) error {
	if part.Snapshot || !slices.ContainsFunc(part.Registries(), func(r string) bool { return !network.Loopback(r) }) {
		return nil
	}
	var images []lock.Image
	for _, i := range part.Images {
		images = append(images, i.Named())
	}
	image, child, stub := lock.FirstStub(images)
	if stub == "" {
		return nil
	}
	return fmt.Errorf("publishing %s: %s has the base %s, a stub base of snapshots that cannot run: "+
		"pin the real base in slipway.yaml and build with -registry %s",
		image, child.Platform, stub, part.Registry)
}
