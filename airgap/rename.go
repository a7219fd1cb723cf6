package airgap

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/renaming"
)

// retarget returns the name of an image below another registry[/prefix]: it replaces the host and
// keeps the path. Docker Hub's short names have the path library/NAME.
func retarget(tagged, to string) (name.Tag, error) {
	t, err := name.NewTag(tagged)
	if err != nil {
		return name.Tag{}, fmt.Errorf("%s: %w", tagged, err)
	}
	moved, err := name.NewTag(to + "/" + t.RepositoryStr() + ":" + t.TagStr())
	if err != nil {
		return name.Tag{}, fmt.Errorf("%s: %w", tagged, err)
	}
	return moved, nil
}

// rename renames the references of o.Release, which all must be to images of the bundles; it
// returns nil if no such file exists.
func rename(images []bundle.Image, o PushOptions) (*renaming.Release, error) {
	if o.Release == "" {
		return nil, nil
	}
	return newNames(images, o.To, func(_, ref string) error {
		return fmt.Errorf("%s is not in the bundle: push the bundle that belongs to this release, "+
			"or add the image to images.txt", ref)
	}).Read(o.Release, o.Out, o.To)
}

// newNames returns the names that images get below a registry.
func newNames(images []bundle.Image, to string, unknown func(repository, reference string) error) *renaming.Names {
	names := &renaming.Names{Unknown: unknown}
	for _, i := range images {
		if i.Chart {
			continue
		}
		t, err := name.NewTag(i.Name)
		if err != nil {
			continue // Open has checked it
		}
		var manifests []v1.Hash
		for _, m := range i.Included() {
			manifests = append(manifests, m.Desc.Digest)
		}
		names.Add(t, to+"/"+t.RepositoryStr(), i.Digest(), manifests...)
	}
	return names
}
