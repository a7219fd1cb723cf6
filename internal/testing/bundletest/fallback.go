package bundletest

import (
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Sidecar is a third-party image for older Windows builds only.
func Sidecar(tb testing.TB, st *store.Store) lock.ThirdParty {
	tb.Helper()
	var children []storetest.Child
	for _, s := range []string{
		"windows/amd64:10.0.20348.9", "windows/amd64:10.0.25398.9",
		"windows/amd64:10.0.19042.9",
	} {
		children = append(children, storetest.Child{
			Platform: Parse(tb, s),
			Layers:   []v1.Layer{storetest.Layer(tb, "Files/sidecar.exe", s, 100)},
		})
	}
	i := storetest.Index(tb, st, "sidecar", children...)
	return lock.ThirdParty{
		Reference: "registry.example/sidecar:1", MediaType: types.OCIImageIndex,
		Digest: i.Digest, Size: i.Size,
	}
}
