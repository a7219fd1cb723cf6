package airgap

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/renaming"
)

// rename renames the references of o.Release, which all must be to images of the bundles; it
// returns nil if there is no such file.
func rename(images []bundle.Image, o PushOptions) (*renaming.Release, error) {
	if o.Release == "" {
		return nil, nil
	}
	names := &renaming.Names{Unknown: func(_, ref string) error {
		return fmt.Errorf("%s is not in the bundle: push the bundle that belongs to this release, or add the image to images.txt", ref)
	}}
	for _, i := range images {
		t, err := name.NewTag(i.Name)
		if err != nil {
			continue // Open has checked it
		}
		var manifests []v1.Hash
		for _, m := range i.Included() {
			manifests = append(manifests, m.Desc.Digest)
		}
		names.Add(t, o.To+"/"+t.RepositoryStr(), i.Digest(), manifests...)
	}
	return names.Read(o.Release, o.Out, o.To)
}
