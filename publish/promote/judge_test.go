package promote_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/publish/promote"
)

const (
	erofs       = "linux(+erofs)/amd64"
	windows2022 = "windows/amd64:10.0.20348.4773"
	windows2025 = "windows/amd64:10.0.26100.1742"
)

// manifestOf returns the bytes that a name stands for.
func manifestOf(t *testing.T, ref string) []byte {
	t.Helper()
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	got, err := remote.Get(r)
	if err != nil {
		t.Fatal(err)
	}
	return got.Manifest
}

// TestFeatures: os.features and os.version of an index survive a promotion, byte for byte, from a
// registry and from a bundle.
func TestFeatures(t *testing.T) {
	g := stage(t)
	l := *g.built
	var children []storetest.Child
	for _, text := range []string{"linux/amd64", erofs, windows2025, windows2022} {
		var on platform.Platform
		if err := on.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		children = append(children,
			storetest.Child{Platform: on, Layers: []v1.Layer{storetest.Layer(t, "Files/of", text, 100)}})
	}
	l.Images = []lock.Image{storetest.Index(t, g.store, "features", children...)}
	p := storetest.Product(t, &l)
	p.Registry = g.at.Host() + "/features"
	out, err := publish.Publish(t.Context(), p, g.store, storetest.Built(&l), quick)
	if err != nil {
		t.Fatal(err)
	}
	final := separate(t)
	o := promote.Options{To: []string{final.Host() + "/lock"}, Registry: quick}
	if _, err := promote.Lock(t.Context(), out, o); err != nil {
		t.Fatal(err)
	}
	files, _, err := airgap.Pack(t.Context(), g.store, out, []airgap.Target{{Name: "all"}},
		airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	o.From, o.To = p.Registry, []string{final.Host() + "/bundle"}
	if _, err := promote.Bundle(t.Context(), bundletest.Opened(t, files[0].Path), o); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(out.Images[0].Tagged(), p.Registry)
	want := manifestOf(t, out.Images[0].Tagged())
	var listed []string
	var m v1.IndexManifest
	if err := json.Unmarshal(want, &m); err != nil {
		t.Fatal(err)
	}
	for _, d := range m.Manifests {
		listed = append(listed, platform.From(d.Platform).String())
	}
	all := strings.Join(listed, " ")
	for _, text := range []string{erofs, windows2022, windows2025} {
		if !strings.Contains(all, text) {
			t.Errorf("the index lists %s", all)
		}
	}
	for _, to := range []string{"/lock", "/bundle"} {
		if got := manifestOf(t, final.Host()+to+path); !bytes.Equal(got, want) {
			t.Errorf("%s has\n%s\nand the source\n%s", to, got, want)
		}
	}
}

// TestBrokenIndex: what nodes would choose wrongly from is promoted nowhere, unless it is allowed.
func TestBrokenIndex(t *testing.T) {
	for what, tc := range map[string]struct {
		entries []string
		says    string
		rule    string
	}{
		"os.version": {
			[]string{"linux/amd64", windows2022 + " as windows/amd64"},
			"windows/amd64: manifests[1]: it has no os.version; the image's configuration has 10.0.20348.4773; instead: ",
			"index-os-version",
		},
		"other os.version": {
			[]string{"linux/amd64", windows2022 + " as " + windows2025},
			"manifests[1]: the image's configuration has os.version 10.0.20348.4773", "index-os-version-differs",
		},
		"features": {
			[]string{"linux/amd64", erofs + " as linux/amd64"},
			"entry 0 is for this platform, too", "index-duplicate",
		},
	} {
		t.Run(what, func(t *testing.T) {
			g := stage(t)
			l := *g.lock
			l.Images = []lock.Image{g.lock.Images[0]}
			i := &l.Images[0]
			i.Tags, i.PlatformTags, i.FloatingTags, i.Children, i.Referrers = []string{"broken"}, nil, nil, nil, nil
			broken(t, i, tc.entries)
			final := separate(t)
			o := promote.Options{To: []string{final.Host()}, Registry: quick}
			_, err := promote.Lock(t.Context(), &l, o)
			says(t, err, "nothing is promoted", i.Repository+":broken: ", tc.says, "["+tc.rule+"]")
			if calls, _ := final.Reset(); len(calls) != 0 {
				t.Errorf("the destination was asked %v", calls)
			}
			o.Allow = []product.Allow{
				{Rule: tc.rule, Object: i.Repository, Reason: "for a test"},
				{Rule: "index-platform-differs", Object: i.Repository, Reason: "for a test"},
			}
			if _, err := promote.Lock(t.Context(), &l, o); err != nil {
				t.Error(err)
			}
		})
	}
}

// broken pushes an index as the image of a lock, which has recorded what each manifest is for.
func broken(t *testing.T, i *lock.Image, entries []string) {
	t.Helper()
	idx := indextest.Index(t, entries...)
	tag, err := name.NewTag(i.Repository + ":broken")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, idx); err != nil {
		t.Fatal(err)
	}
	m, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if i.Digest, err = idx.Digest(); err == nil {
		i.Size, err = idx.Size()
	}
	if err != nil {
		t.Fatal(err)
	}
	for n, d := range m.Manifests {
		is, _, _ := strings.Cut(entries[n], " as ")
		c := lock.Child{Digest: d.Digest, Size: d.Size, MediaType: d.MediaType}
		if err := c.Platform.UnmarshalText([]byte(is)); err != nil {
			t.Fatal(err)
		}
		i.Children = append(i.Children, c)
	}
}
