package storetest

import (
	"bytes"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Versioned gives the index of an image the annotation that states its version, as build does.
// The image differs from that of any other version then.
func Versioned(tb testing.TB, st *store.Store, i *lock.Image, version string) {
	tb.Helper()
	raw, err := st.Get(i.Descriptor())
	must(tb, err)
	index, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	must(tb, err)
	raw, err = oci.MakeIndex(index.Manifests, map[string]string{"org.opencontainers.image.version": version})
	must(tb, err)
	i.Digest, err = st.PutBytes(raw)
	must(tb, err)
	i.Size = int64(len(raw))
}
