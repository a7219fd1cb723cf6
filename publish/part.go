package publish

import (
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// newPart returns the images and files that p selects of r, with the names that the images will
// have.
func newPart(p *product.Product, r *built.Result) (*lock.Part, error) {
	images, err := selection(p, r)
	if err != nil {
		return nil, err
	}
	all := Registries(p)
	part := &lock.Part{
		PartVersion: lock.PartVersion, Selected: lock.Union(r.Selected, p.Selected),
		Release: lock.Release{
			Name: r.Name, Version: r.Version, Channel: p.Channel, Created: r.Created, Registry: all[0],
			Copies: copies(all), Go: r.Go, Snapshot: p.Snapshot(), Sources: r.Sources,
			Groups: groups(p),
		},
		Images: images, Artifacts: r.Artifacts, Compilers: r.Compilers, Prebuilt: r.Prebuilt, Materials: r.Materials,
	}
	part.Inventory = r.Inventory.Only(part.Has)
	for n := range part.Images {
		rename(p, &part.Images[n])
	}
	return part, nil
}

// selection returns the images of r that p consists of, in p's order and with p's platforms only:
// build may have made more than publish is to push, but never less. What r has beyond a p that is
// complete is an error, too, for it was built from another slipway.yaml.
func selection(p *product.Product, r *built.Result) ([]lock.PartImage, error) {
	because := ""
	if len(r.Selected) > 0 {
		because = fmt.Sprintf(", because only %v was built", r.Selected)
	}
	var images []lock.PartImage
	for _, want := range p.Images {
		i, ok := r.Image(want.Name)
		if !ok {
			return nil, fmt.Errorf("publishing %s: build made none%s: "+
				"build it first, or select the built images with -images", want.Name, because)
		}
		children, lacks, incomplete := restrict(i.MediaType, i.Children, want)
		if incomplete {
			return nil, fmt.Errorf("publishing %s: build made none for %s%s: "+
				"build it first, or select the built platforms with -platforms", want.Name, lacks, because)
		}
		if len(p.Selected) == 0 && len(children) < len(i.Children) {
			return nil, fmt.Errorf("publishing %s: build made platforms of it that %s has not: build it again",
				want.Name, p.Path)
		}
		images = append(images,
			lock.PartImage{Name: i.Name, Kind: i.Kind, MediaType: i.MediaType, Children: children})
	}
	for _, i := range r.Images {
		named := func(want product.Image) bool { return want.Name == i.Name }
		if len(p.Selected) == 0 && !slices.ContainsFunc(p.Images, named) {
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
	wanted, found := keys(want.Platforms), map[platform.Key]bool{}
	for _, c := range children {
		if k := c.Platform.Key(); slices.Contains(wanted, k) {
			found[k], kept = true, append(kept, c)
		}
	}
	if n := slices.IndexFunc(wanted, func(k platform.Key) bool { return !found[k] }); n >= 0 {
		return kept, want.Platforms[n], true
	}
	return kept, lacks, false
}

// refuseStubs refuses to publish images on stub bases, which cannot run, but on this machine.
func refuseStubs(part *lock.Part, images []lock.Image) error {
	if part.Snapshot || !slices.ContainsFunc(part.Registries(), func(r string) bool { return !imagename.Loopback(r) }) {
		return nil
	}
	image, child, stub := lock.FirstStub(images)
	if stub == "" {
		return nil
	}
	return fmt.Errorf("publishing %s: %s has the base %s, a stub base of snapshots that cannot run: "+
		"pin the real base in slipway.yaml and build with -registry %s",
		image, child.Platform, stub, part.Registry)
}
