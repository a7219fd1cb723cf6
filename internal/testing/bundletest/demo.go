package bundletest

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Demo is a published snapshot: the product of storetest, a third-party image on Linux and one
// Windows build with an attestation, one for Windows alone that is given by digest, and one that
// could not be reached.
func Demo(tb testing.TB, size int) (*store.Store, *lock.Lock) {
	tb.Helper()
	st := storetest.Open(tb)
	l := storetest.Release(tb, st, size)
	l.Snapshot, l.Registry = true, "slipway.local"
	for n := range l.Images {
		i := &l.Images[n]
		i.Repository, i.Tags = "slipway.local/demo/"+i.Name, []string{l.Version}
	}
	for n := range l.Images[0].Children {
		if c := &l.Images[0].Children[n]; c.OSVersion != "" {
			c.Base = &lock.Base{Name: "builtin:nanoserver", Stub: true}
		}
	}
	pause := storetest.Index(tb, st, "pause",
		storetest.Child{
			Platform: Parse(tb, "linux/amd64"),
			Layers:   []v1.Layer{storetest.Layer(tb, "pause", "pause", size)},
		},
		storetest.Child{
			Platform: Parse(tb, "windows/amd64:10.0.17763.5"),
			Layers:   []v1.Layer{storetest.Layer(tb, "Files/pause.exe", "pause", size)},
		},
		storetest.Child{
			Platform: platform.Platform{OS: "unknown", Architecture: "unknown"},
			Layers:   []v1.Layer{storetest.Layer(tb, "sbom", "sbom", 10)},
		})
	tool := storetest.Index(tb, st, "tool",
		storetest.Child{
			Platform: Parse(tb, "windows/amd64:10.0.26100.7"),
			Layers:   []v1.Layer{storetest.Layer(tb, "Files/tool.exe", "tool", size)},
		})
	l.ThirdParty = []lock.ThirdParty{
		{
			Reference: "pause:3.9@" + pause.Digest.String(), MediaType: types.OCIImageIndex, Digest: pause.Digest,
			Size: pause.Size,
		},
		{
			Reference: "registry.example/tool@" + tool.Digest.String(), MediaType: types.OCIImageIndex,
			Digest: tool.Digest, Size: tool.Size,
		},
		{Reference: "registry.invalid/gone:1", Omitted: "a snapshot reaches no registry"},
	}
	return st, l
}

// Targets are one per platform and one for all.
func Targets(tb testing.TB) []airgap.Target {
	var all []airgap.Target
	for _, s := range []string{
		"linux/amd64", "linux/arm64", "windows/amd64:ltsc2019", "windows/amd64:ltsc2022",
		"windows/amd64:ltsc2025",
	} {
		p := Parse(tb, s)
		all = append(all, airgap.Target{Name: "demo-images." + p.Slug(), Platform: p})
	}
	return append(all, airgap.Target{Name: "demo-images"})
}

// Parse reads a platform.
func Parse(tb testing.TB, s string) platform.Platform {
	tb.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Pack packs bundles into dir.
func Pack(tb testing.TB, st *store.Store, l *lock.Lock, dir string, b ...airgap.Target) []bundle.File {
	tb.Helper()
	files, _, err := airgap.Pack(tb.Context(), st, l, b, airgap.PackOptions{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// PackTwins packs bundles into dir, as .tar.zst and as .tar.gz.
func PackTwins(tb testing.TB, st *store.Store, l *lock.Lock, dir string, b ...airgap.Target) []bundle.File {
	tb.Helper()
	files, _, err := airgap.Pack(tb.Context(), st, l, b, airgap.PackOptions{Dir: dir, Gzip: true})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// Indent formats JSON.
func Indent(t *testing.T, b []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

// Plain is an uncompressed layer that holds just these bytes.
func Plain(tb testing.TB, b []byte) v1.Layer {
	tb.Helper()
	return static.NewLayer(b, types.OCIUncompressedLayer)
}

// Noise is size bytes that do not compress, after a prefix.
func Noise(prefix string, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{}).Read(b) //nolint:errcheck // it has no errors
	return append([]byte(prefix), b...)
}

// Add puts an image of one layer into the store and the lock.
func Add(tb testing.TB, st *store.Store, l *lock.Lock, name string, layer v1.Layer) {
	tb.Helper()
	i := storetest.Index(tb, st, name, storetest.Child{Platform: Parse(tb, "linux/amd64"), Layers: []v1.Layer{layer}})
	i.Repository = "slipway.local/demo/" + name
	l.Images = append(l.Images, i)
}
