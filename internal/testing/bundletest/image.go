package bundletest

import (
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Image is an image of which nothing is known but its name, its digest and those of its manifests.
func Image(name string, digest v1.Hash, manifests ...v1.Hash) bundle.Image {
	i := bundle.Image{Name: name, Tree: &oci.Tree{Desc: v1.Descriptor{Digest: digest}}}
	for _, h := range manifests {
		i.Manifests = append(i.Manifests, bundle.Manifest{Tree: &oci.Tree{Desc: v1.Descriptor{Digest: h}}})
	}
	return i
}

// Trees lets cmp compare images.
var Trees = cmpopts.IgnoreUnexported(oci.Tree{})
