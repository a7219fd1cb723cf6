package bundletest

import (
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	nothing "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Attached puts an artifact with one layer into the store and returns it as a lock has it.
// Without a tag it says what it is about.
func Attached(tb testing.TB, st *store.Store, kind, text, tag string, about v1.Descriptor) oci.Referrer {
	tb.Helper()
	img, err := mutate.AppendLayers(mutate.MediaType(nothing.Image, types.OCIManifestSchema1),
		static.NewLayer([]byte(text), types.MediaType(kind)))
	if err != nil {
		tb.Fatal(err)
	}
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	if tag == "" {
		img = mutate.Subject(mutate.ConfigMediaType(img, types.MediaType(kind)), about).(v1.Image)
	}
	d := storetest.Put(tb, st, img)
	return oci.Referrer{
		ArtifactType: kind, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		Tag: tag, Subject: about.Digest,
	}
}

// Signed is demo with an SBOM of the agent's index, a signature of that SBOM, one of the child
// for linux/amd64 by cosign's tag, and one of the child for windows.
func Signed(tb testing.TB, size int) (*store.Store, *lock.Lock) {
	tb.Helper()
	st, l := Demo(tb, size)
	agent := &l.Images[0]
	sbom := Attached(tb, st, "application/spdx+json",
		"sbom", "", v1.Descriptor{MediaType: agent.MediaType, Digest: agent.Digest, Size: agent.Size})
	about := v1.Descriptor{MediaType: sbom.MediaType, Digest: sbom.Digest, Size: sbom.Size}
	sbom.Subject = v1.Hash{}
	agent.Referrers = []oci.Referrer{sbom, Attached(tb, st, "application/x-signature", "of the sbom", "", about)}
	for n, c := range agent.Children[:3] {
		tag := ""
		if n == 0 {
			tag = "sha256-" + c.Digest.Hex + ".sig"
		}
		agent.Referrers = append(agent.Referrers, Attached(tb, st, "application/x-signature", "of "+c.Platform.String(),
			tag, v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size}))
	}
	return st, l
}
