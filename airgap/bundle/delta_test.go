package bundle_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lock"
)

// TestDelta: a delta contains what its base lacks, and makes the bundle of both, byte for byte.
func TestDelta(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 50_000)
	bundletest.Add(t, st, l, "kept", bundletest.Plain(t, bytes.Repeat([]byte("compresses too"), longText)))
	n := bundletest.Later(t, st, l)
	dir := t.TempDir()
	old := bundletest.Pack(t, st, l, filepath.Join(dir, "old"), bundletest.Targets(t)...)
	for n := range l.Images[0].Children {
		if b := l.Images[0].Children[n].Base; b != nil {
			b.Digest = l.Images[0].Digest // a lock without it cannot be read
		}
	}
	lockFile := filepath.Join(dir, "release.lock.json")
	if err := l.Write(lockFile); err != nil {
		t.Fatal(err)
	}
	want := bundletest.Pack(t, st, n, filepath.Join(dir, "new"), bundletest.Targets(t)...)
	for name, tc := range map[string]struct {
		since []string
		which []int
	}{
		"since bundles": {[]string{old[0].Path, old[5].Path}, []int{0, 5}},
		"since a lock":  {[]string{lockFile}, []int{0, 1, 2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			deltas := t.TempDir()
			files, err := airgap.PackDelta(t.Context(), st, n, bundletest.Targets(t),
				tc.since, airgap.PackOptions{Dir: deltas})
			if err != nil {
				t.Fatal(err)
			}
			if len(files) != len(tc.which) {
				t.Fatalf("%d deltas, want %d", len(files), len(tc.which))
			}
			for k, f := range files {
				full := want[tc.which[k]]
				if f.Path != filepath.Join(deltas, filepath.Base(full.Path)+".delta") || f.List != "" {
					t.Errorf("the delta is %s, with list %q", f.Path, f.List)
				}
				c, err := bundle.Inspect(f.Path)
				if err != nil {
					t.Fatal(err)
				}
				if c.Delta.SHA256 != full.SHA256 || c.Delta.Size != full.Size || c.Delta.Base.Version != "1.2.3" ||
					c.Delta.Base.File != filepath.Base(tc.since[min(k, len(tc.since)-1)]) {
					t.Errorf("it says %+v", c.Delta)
				}
				if d := cmp.Diff(full.Contents.Images, c.Images, bundletest.Trees); d != "" {
					t.Errorf("%s: images (-bundle +delta):\n%s", f.Path, d)
				}
				// Layers of the old bundle are not in it; all others are.
				before, err := bundle.Inspect(old[tc.which[k]].Path)
				if err != nil {
					t.Fatal(err)
				}
				d := bundle.Diff(before, c)
				if c.Layers != d.Layers || c.LayerBytes != d.Bytes ||
					len(c.Delta.Lacking)+c.Layers != len(c.AllLayers()) {
					t.Errorf("%s holds %d layers, %d bytes, and lacks %d; new are %d with %d bytes",
						f.Path, c.Layers, c.LayerBytes, len(c.Delta.Lacking), d.Layers, d.Bytes)
				}
				if f.Size > full.Size/2 {
					t.Errorf("%s has %d bytes, the bundle %d", f.Path, f.Size, full.Size)
				}
				out := filepath.Join(t.TempDir(), "made.tar.zst")
				made, err := bundle.Apply(t.Context(), f.Path, old[tc.which[k]].Path, out, bundle.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				a, errA := os.ReadFile(full.Path)
				b, errB := os.ReadFile(out)
				if errA != nil || errB != nil || !bytes.Equal(a, b) {
					t.Errorf("%s: the bundle that was made is another: %v %v", f.Path, errA, errB)
				}
				if made.SHA256 != full.SHA256 || made.Size != full.Size {
					t.Errorf("reported: %+v", made)
				}
			}
		})
	}
}

// TestDeltaRefused: a delta is not a bundle, and fits its base only.
func TestDeltaRefused(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 20_000)
	n := bundletest.Later(t, st, l)
	dir := t.TempDir()
	old := bundletest.Pack(t, st, l, dir, bundletest.Targets(t)...)
	files, err := airgap.PackDelta(t.Context(), st, n, bundletest.Targets(t), []string{old[5].Path},
		airgap.PackOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	delta := files[0].Path
	says := func(err error, want ...string) {
		t.Helper()
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want %q in it", err, w)
			}
		}
	}
	_, err = bundle.Open(delta)
	says(err, "is a delta", "its base, demo-images.tar.zst of version 1.2.3", "slipway airgap apply "+delta)
	// which no command takes
	byLock := bundle.Delta{Base: bundle.DeltaBase{File: lock.Name, Version: "1.2.3"}, Bundle: "demo-images.tar.zst"}
	says(byLock.Refusal("x.delta"), "in a bundle of version 1.2.3 for the same platform",
		"slipway airgap apply x.delta -base=BUNDLE -o=demo-images.tar.zst")
	out := filepath.Join(t.TempDir(), "made.tar.zst")
	_, err = bundle.Apply(t.Context(), delta, old[0].Path, out, bundle.ApplyOptions{})
	says(err, old[0].Path+" is not the base of "+delta+"", "demo 1.2.3",
		"the base is demo-images.tar.zst of version 1.2.3")
	_, err = bundle.Apply(t.Context(), old[5].Path, old[5].Path, out, bundle.ApplyOptions{})
	says(err, "is not a delta")
	_, err = bundle.Apply(t.Context(), delta, delta, out, bundle.ApplyOptions{})
	says(err, "is a delta")
	_, err = airgap.PackDelta(t.Context(), st, n, bundletest.Targets(t)[:1], []string{old[5].Path},
		airgap.PackOptions{Dir: dir, Partial: true})
	says(err, "is for all platforms, and this release has no such bundle")
	_, err = airgap.PackDelta(t.Context(), st, n, bundletest.Targets(t), []string{delta}, airgap.PackOptions{Dir: dir})
	says(err, "is a delta")
	_, err = airgap.PackDelta(t.Context(), st, n, bundletest.Targets(t),
		[]string{filepath.Join(dir, "demo-images.txt")}, airgap.PackOptions{Dir: dir})
	says(err, "the base of a delta is a bundle or a release.lock.json")
	// The base is damaged: nothing appears.
	data, err := os.ReadFile(old[5].Path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	bad := filepath.Join(t.TempDir(), "bad.tar.zst")
	if err := os.WriteFile(bad, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Apply(t.Context(), delta, bad, out, bundle.ApplyOptions{})
	says(err, "damaged")
	bundletest.Empty(t, filepath.Dir(out))
	second := bundletest.Pack(t, st, l, filepath.Join(dir, "second"), bundletest.Targets(t)[5])[0].Path
	none := filepath.Join(t.TempDir(), "none")
	_, err = airgap.PackDelta(t.Context(), st, n, bundletest.Targets(t), []string{old[5].Path, old[0].Path, second},
		airgap.PackOptions{Dir: none})
	says(err, old[5].Path+" and "+second+" are both a base for demo-images.tar.zst.delta")
	if _, err := os.Stat(none); err == nil {
		t.Error("something was written")
	}
	other := *n
	other.Name = "other"
	_, err = airgap.PackDelta(t.Context(), st, &other, bundletest.Targets(t), []string{old[5].Path},
		airgap.PackOptions{Dir: dir})
	says(err, "is of demo, not of other")
}

func TestDiff(t *testing.T) {
	st, l := bundletest.Demo(t, 20_000)
	n := bundletest.Later(t, st, l)
	dir := t.TempDir()
	a, err := bundle.Inspect(bundletest.Pack(t, st, l, filepath.Join(dir, "old"), bundletest.Targets(t)[5])[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Inspect(bundletest.Pack(t, st, n, filepath.Join(dir, "new"), bundletest.Targets(t)[5])[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := bundle.Diff(a, b).WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/diff.golden", table.String())
	// A version that is also in the tags of third-party images is not a part of the product's
	// there.
	others := func(version string, names ...string) *bundle.Contents {
		c := &bundle.Contents{Version: version}
		for _, name := range names {
			c.Images = append(c.Images, bundle.Image{Name: name, Listed: name, Tree: a.Images[0].Tree})
		}
		return c
	}
	if d := bundle.Diff(others("1.36.0", "x:1.36.0", "y:12", "y:2"),
		others("1.36.1", "x:1.36.0", "y:12", "y:2")); d.Same != 3 || len(d.Added)+len(d.Removed) != 0 {
		t.Errorf("third-party images with the product's version differ: %+v", d)
	}
	if d := bundle.Diff(others("1", "y:12", "y:2"), others("1")); len(d.Removed) != 2 {
		t.Errorf("%d of 2 images were removed", len(d.Removed))
	}
	// An image of the product may have a version of its own.
	own := func(version string, names ...string) *bundle.Contents {
		c := others(version, names...)
		for n := range c.Images {
			c.Images[n].Listed = ""
		}
		return c
	}
	if d := bundle.Diff(own("1.0.0", "r/app:1.0.0", "r/tool:9.9.1"),
		own("1.0.1", "r/app:1.0.1", "r/tool:9.9.2")); len(d.Changed) != 2 || len(d.Added)+len(d.Removed) != 0 {
		t.Errorf("an image with a version of its own: %+v", d)
	}
	if d := bundle.Diff(own("1.0.0", "r/app:a", "r/app:b"), own("1.0.1", "r/app:c")); len(d.Added) != 1 ||
		len(d.Removed) != 2 {
		t.Errorf("which of two images changed is not known: %+v", d)
	}
	if d := bundle.Diff(a, a); len(d.Added)+len(d.Removed)+len(d.Changed)+d.Layers != 0 || d.Bytes != 0 ||
		d.Same != len(a.Images) {
		t.Errorf("a bundle differs from itself: %+v", d)
	}
}

// TestSplit: each volume is a bundle within the limit, and together they hold all images, in
// their order.
func TestSplit(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 50_000)
	bundletest.Add(t, st, l, "text", bundletest.Plain(t, bytes.Repeat([]byte("compresses"), longText)))
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	other := lock.Lock{Release: lock.Release{Name: l.Name, Version: "9", Created: l.Created, Snapshot: l.Snapshot}}
	for _, limit := range []int64{f.Size + 80<<10, f.Size*2/3 + 8<<10, 400_000} {
		dir := t.TempDir()
		v, err := bundle.Split(t.Context(), f.Path, bundle.SplitOptions{MaxSize: limit, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if (len(v.Volumes) == 1) != (limit > f.Size) {
			t.Errorf("%d volumes of %d bytes for a bundle of %d", len(v.Volumes), limit, f.Size)
		}
		var names, want []string
		var images []bundle.Image
		for _, vol := range v.Volumes {
			path := filepath.Join(dir, vol.File)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(data)) > limit || int64(len(data)) != vol.Size || bundletest.Sum(data) != vol.SHA256 {
				t.Errorf("%s has %d bytes, the limit is %d, the list says %d", vol.File, len(data), limit, vol.Size)
			}
			b, err := bundle.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, layer := range b.Contents().AllLayers() {
				if !b.Has(layer.Digest) {
					t.Errorf("%s lacks layer %s", vol.File, layer.Digest)
				}
			}
			images = append(images, b.Contents().Images...)
			if b.Contents().Volume == "" || b.Contents().Version != l.Version {
				t.Errorf("%s says it is volume %q of %s", vol.File, b.Contents().Volume, b.Contents().Version)
			}
			b.Close()
			names = append(names, vol.Images...)
			if r := bundletest.Verify(t, path, bundle.VerifyOptions{Compare: airgap.Compare(l)}); len(r.Problems) > 0 {
				t.Errorf("%s is not of its lock: %v", vol.File, r.Problems)
			}
			// of another release, and each image is in the bundle only
			if r := bundletest.Verify(t,
				path, bundle.VerifyOptions{Compare: airgap.Compare(&other)}); len(r.Problems) != 1+len(vol.Images) {
				t.Errorf("%s is of a lock of none of its images: %v", vol.File, r.Problems)
			}
			bundletest.Entries(t, path)
		}
		for _, i := range f.Contents.Images {
			want = append(want, i.Name)
		}
		if d := cmp.Diff(want, names); d != "" {
			t.Errorf("images (-bundle +volumes):\n%s", d)
		}
		if d := cmp.Diff(f.Contents.Images, images, cmpopts.IgnoreFields(bundle.Image{}, "SharedBytes"),
			bundletest.Trees); d != "" {
			t.Errorf("images (-bundle +volumes):\n%s", d)
		}
	}
	dir := t.TempDir()
	_, err := bundle.Split(t.Context(), f.Path, bundle.SplitOptions{MaxSize: 60_000, Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "slipway.local/demo/agent:1.2.3 takes ") ||
		!strings.Contains(err.Error(), "an image is never divided") {
		t.Errorf("error %v", err)
	}
	bundletest.Empty(t, dir)
}
