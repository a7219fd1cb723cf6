package registrytest

import (
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
)

// Sign adds evidence of a digest in a repository: in a form of [indextest.Proof], about a digest.
func Sign(tb testing.TB, repo name.Repository, form string, of *v1.Descriptor, about v1.Hash) v1.Image {
	tb.Helper()
	img := indextest.Proof(tb, form, about)
	var ref name.Reference = repo.Tag(strings.Replace(of.Digest.String(), ":", "-", 1) + form)
	if form == "bundle" {
		img = mutate.Subject(img, *of).(v1.Image)
		h, err := img.Digest()
		must(tb, err)
		ref = repo.Digest(h.String())
	}
	must(tb, remote.Write(ref, img))
	return img
}
