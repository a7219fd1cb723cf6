package airgap_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestFallback: of a third-party image a bundle has the build that its nodes run, and states
// where it is not their own; an image of the product has its own build or none.
func TestFallback(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 100)
	l.ThirdParty = append(l.ThirdParty, bundletest.Sidecar(t, st))
	own := storetest.Index(t, st, "old", storetest.Child{
		Platform: bundletest.Parse(t, "windows/amd64:10.0.20348.1"),
		Layers:   []v1.Layer{storetest.Layer(t, "Files/old.exe", "old", 100)},
	})
	own.Repository = "slipway.local/demo/old"
	l.Images = append(l.Images, own)
	for n, want := range map[int]string{2: "", 3: "windows/amd64:10.0.20348.9", 4: "windows/amd64:10.0.25398.9"} {
		f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[n]
		c, err := bundle.Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f.Contents.Images, c.Images, bundletest.Trees); d != "" {
			t.Errorf("%s (-packed +inspected):\n%s", f.Path, d)
		}
		var got bundle.Image
		included := map[string]bool{}
		for _, i := range c.Images {
			included[i.Name] = true
			if strings.Contains(i.Name, "sidecar") {
				got = i
			} else if !i.Fallback.IsZero() {
				t.Errorf("%s: %s is said to stand in for %s", f.Path, i.Name, i.Fallback)
			}
		}
		if exact := c.Platform.String() == "windows/amd64:ltsc2022"; included["slipway.local/demo/old:1.2.3"] != exact {
			t.Errorf("%s: our own image for 20348 is in the bundle: %v", f.Path, !exact)
		}
		var table strings.Builder
		if err := c.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		says := "fallback: registry.example/sidecar:1: has no " + c.Platform.String() + "; such a node runs " +
			want + "\n"
		switch {
		case want == "":
			if got.Name != "" {
				t.Errorf("%s holds %+v, which no such node runs", f.Path, got)
			}
			continue
		case len(got.Included()) != 1 || got.Included()[0].Platform.String() != want:
			t.Errorf("%s holds %+v, want %s", f.Path, got.Included(), want)
		case (!got.Fallback.IsZero()) != (n == 4), n == 4 && got.Fallback.String() != "windows/amd64:ltsc2025":
			t.Errorf("%s: fallback %q", f.Path, got.Fallback)
		case (n == 4) != strings.Contains(table.String(), says):
			t.Errorf("%s: the table says\n%s", f.Path, table.String())
		}
		var m tarball.Manifest
		if err := json.Unmarshal(bundletest.Entries(t, f.Path)[0].Data, &m); err != nil {
			t.Fatal(err)
		}
		if last := m[len(m)-1]; last.RepoTags[0] != got.Name ||
			last.Config != bundletest.BlobName(got.Included()[0].Config.Digest) {
			t.Errorf("%s: manifest.json ends with %+v", f.Path, last)
		}
	}
}

// TestFallbackForged: what a bundle says of a fallback is held against the images in it.
func TestFallbackForged(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	l.ThirdParty = append(l.ThirdParty, bundletest.Sidecar(t, st))
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[4]
	good := bundletest.Headers(t, f.Path)
	for _, c := range []struct{ name, from, to, want string }{
		{
			"other platform", `fallback":"windows/amd64:ltsc2025"`, `fallback":"windows/amd64:ltsc2022"`,
			"it is a fallback for",
		},
		{
			"of its own build", `"dev.slipway.image.listed":"registry.example/tool`,
			`"dev.slipway.image.fallback":"windows/amd64:ltsc2025","x":"`, "is not a fallback for",
		},
	} {
		if _, err := bundle.Inspect(bundletest.Relabelled(t, good, c.from, c.to)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}
