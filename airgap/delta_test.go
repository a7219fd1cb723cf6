package airgap

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// later is the next release in the same store: another server, one image more, no tool, a
// signature of the agent.
func later(tb testing.TB, st *store.Store, l *lock.Lock) *lock.Lock {
	tb.Helper()
	n := *l
	n.Version = "1.3.0"
	n.Created = l.Created.AddDate(0, 1, 0)
	n.Images = slices.Clone(l.Images)
	n.ThirdParty = slices.Delete(slices.Clone(l.ThirdParty), 1, 2)
	for k := range n.Images {
		n.Images[k].Tag = n.Version
	}
	child := storetest.Child{Platform: parse(tb, "linux/amd64"), Layers: []v1.Layer{storetest.Layer(tb, "ko-app/server", "another server", 30_000)}}
	server := storetest.Index(tb, st, "server", child)
	server.Repository, server.Tag = n.Images[1].Repository, n.Version
	n.Images[1] = server
	more := storetest.Index(tb, st, "more", storetest.Child{Platform: parse(tb, "linux/amd64"), Layers: []v1.Layer{plain(tb, bytes.Repeat([]byte("compresses"), 100_000)), storetest.Layer(tb, "more", "more", 20_000)}})
	more.Repository, more.Tag = "slipway.local/demo/more", n.Version
	n.Images = append(n.Images, more)
	agent := &n.Images[0]
	agent.Referrers = []oci.Referrer{attached(tb, st, "application/x-signature", "of the agent", "", v1.Descriptor{MediaType: agent.MediaType, Digest: agent.Digest, Size: agent.Size})}
	return &n
}

// TestDelta: a delta carries what its base lacks, and makes the bundle of both, byte for byte.
func TestDelta(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 50_000)
	add(t, st, l, "kept", plain(t, bytes.Repeat([]byte("compresses too"), longText)))
	n := later(t, st, l)
	dir := t.TempDir()
	old := pack(t, st, l, filepath.Join(dir, "old"), bundles(t)...)
	for n := range l.Images[0].Children {
		if b := l.Images[0].Children[n].Base; b != nil {
			b.Digest = l.Images[0].Digest // a lock without it cannot be read
		}
	}
	lockFile := filepath.Join(dir, "release.lock.json")
	if err := l.Write(lockFile); err != nil {
		t.Fatal(err)
	}
	want := pack(t, st, n, filepath.Join(dir, "new"), bundles(t)...)
	for name, tc := range map[string]struct {
		since []string
		which []int
	}{
		"since bundles": {[]string{old[0].Path, old[5].Path}, []int{0, 5}},
		"since a lock":  {[]string{lockFile}, []int{0, 1, 2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			deltas := t.TempDir()
			files, err := PackDelta(t.Context(), st, n, bundles(t), tc.since, PackOptions{Dir: deltas})
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
				c, err := Inspect(f.Path)
				if err != nil {
					t.Fatal(err)
				}
				if c.Delta.SHA256 != full.SHA256 || c.Delta.Size != full.Size || c.Delta.Base.Version != "1.2.3" || c.Delta.Base.File != filepath.Base(tc.since[min(k, len(tc.since)-1)]) {
					t.Errorf("it says %+v", c.Delta)
				}
				if d := cmp.Diff(full.Images, c.Images); d != "" {
					t.Errorf("%s: images (-bundle +delta):\n%s", f.Path, d)
				}
				// Layers of the old bundle are not in it; all others are.
				before, err := Inspect(old[tc.which[k]].Path)
				if err != nil {
					t.Fatal(err)
				}
				d := Diff(before, c)
				if c.Layers != d.Layers || c.LayerBytes != d.Bytes || len(c.Delta.Lacking)+c.Layers != len(c.layers()) {
					t.Errorf("%s holds %d layers, %d bytes, and lacks %d; new are %d with %d bytes", f.Path, c.Layers, c.LayerBytes, len(c.Delta.Lacking), d.Layers, d.Bytes)
				}
				if f.Size > full.Size/2 {
					t.Errorf("%s has %d bytes, the bundle %d", f.Path, f.Size, full.Size)
				}
				out := filepath.Join(t.TempDir(), "made.tar.zst")
				made, err := Apply(t.Context(), f.Path, old[tc.which[k]].Path, out, nil)
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

// TestDeltaRefused: a delta is no bundle, and fits its base only.
func TestDeltaRefused(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 20_000)
	n := later(t, st, l)
	dir := t.TempDir()
	old := pack(t, st, l, dir, bundles(t)...)
	files, err := PackDelta(t.Context(), st, n, bundles(t), []string{old[5].Path}, PackOptions{Dir: dir})
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
	_, err = Open(delta)
	says(err, "is a delta", "its base, demo-images.tar.zst of version 1.2.3", "slipway airgap apply "+delta)
	out := filepath.Join(t.TempDir(), "made.tar.zst")
	_, err = Apply(t.Context(), delta, old[0].Path, out, nil)
	says(err, old[0].Path+" is not what "+delta+" builds on", "demo 1.2.3", "the base is demo-images.tar.zst of version 1.2.3")
	_, err = Apply(t.Context(), old[5].Path, old[5].Path, out, nil)
	says(err, "is no delta")
	_, err = Apply(t.Context(), delta, delta, out, nil)
	says(err, "is a delta")
	_, err = PackDelta(t.Context(), st, n, bundles(t)[:1], []string{old[5].Path}, PackOptions{Dir: dir, Partial: true})
	says(err, "is for all platforms, and this release has no such bundle")
	_, err = PackDelta(t.Context(), st, n, bundles(t), []string{delta}, PackOptions{Dir: dir})
	says(err, "is a delta")
	_, err = PackDelta(t.Context(), st, n, bundles(t), []string{filepath.Join(dir, "demo-images.txt")}, PackOptions{Dir: dir})
	says(err, "builds on a bundle or on a release.lock.json")
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
	_, err = Apply(t.Context(), delta, bad, out, nil)
	says(err, "damaged")
	empty(t, filepath.Dir(out))
	second := pack(t, st, l, filepath.Join(dir, "second"), bundles(t)[5])[0].Path
	none := filepath.Join(t.TempDir(), "none")
	_, err = PackDelta(t.Context(), st, n, bundles(t), []string{old[5].Path, old[0].Path, second}, PackOptions{Dir: none})
	says(err, old[5].Path+" and "+second+" are both a base for demo-images.tar.zst.delta")
	if _, err := os.Stat(none); err == nil {
		t.Error("something was written")
	}
	other := *n
	other.Name = "other"
	_, err = PackDelta(t.Context(), st, &other, bundles(t), []string{old[5].Path}, PackOptions{Dir: dir})
	says(err, "is of demo, not of other")
}

func TestDiff(t *testing.T) {
	st, l := demo(t, 20_000)
	n := later(t, st, l)
	dir := t.TempDir()
	a, err := Inspect(pack(t, st, l, filepath.Join(dir, "old"), bundles(t)[5])[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Inspect(pack(t, st, n, filepath.Join(dir, "new"), bundles(t)[5])[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := Diff(a, b).WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/diff.golden", table.String())
	if d := Diff(a, a); len(d.Added)+len(d.Removed)+len(d.Changed)+d.Layers != 0 || d.Bytes != 0 || d.Same != len(a.Images) {
		t.Errorf("a bundle differs from itself: %+v", d)
	}
}

// TestSplit: each volume is a bundle within the limit, and together they hold all images, in
// their order.
func TestSplit(t *testing.T) {
	t.Parallel()
	st, l := signed(t, 50_000)
	add(t, st, l, "text", plain(t, bytes.Repeat([]byte("compresses"), longText)))
	f := pack(t, st, l, t.TempDir(), bundles(t)[5])[0]
	other := lock.Lock{Name: l.Name, Version: "9", Created: l.Created, Snapshot: l.Snapshot}
	for _, limit := range []int64{f.Size + 80<<10, f.Size*2/3 + 8<<10, 400_000} {
		dir := t.TempDir()
		v, err := Split(t.Context(), f.Path, SplitOptions{MaxSize: limit, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if (len(v.Volumes) == 1) != (limit > f.Size) {
			t.Errorf("%d volumes of %d bytes for a bundle of %d", len(v.Volumes), limit, f.Size)
		}
		var names, want []string
		var images []Image
		for _, vol := range v.Volumes {
			path := filepath.Join(dir, vol.File)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(data)) > limit || int64(len(data)) != vol.Size || sum(data) != vol.SHA256 {
				t.Errorf("%s has %d bytes, the limit is %d, the list says %d", vol.File, len(data), limit, vol.Size)
			}
			b, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, layer := range b.Contents().layers() {
				if _, here := b.places[layer.Digest]; !here && b.head.blobs[layer.Digest] == nil {
					t.Errorf("%s lacks layer %s", vol.File, layer.Digest)
				}
			}
			images = append(images, b.Contents().Images...)
			if b.Contents().Volume == "" || b.Contents().Version != l.Version {
				t.Errorf("%s says it is volume %q of %s", vol.File, b.Contents().Volume, b.Contents().Version)
			}
			b.Close()
			names = append(names, vol.Images...)
			if r := verify(t, path, VerifyOptions{Lock: l}); len(r.Problems) > 0 {
				t.Errorf("%s is not of its lock: %v", vol.File, r.Problems)
			}
			// of another release, and each image is in the bundle only
			if r := verify(t, path, VerifyOptions{Lock: &other}); len(r.Problems) != 1+len(vol.Images) {
				t.Errorf("%s is of a lock of none of its images: %v", vol.File, r.Problems)
			}
			entries(t, path)
		}
		for _, i := range f.Images {
			want = append(want, i.Name)
		}
		if d := cmp.Diff(want, names); d != "" {
			t.Errorf("images (-bundle +volumes):\n%s", d)
		}
		if d := cmp.Diff(f.Images, images, cmpopts.IgnoreFields(Image{}, "SharedBytes")); d != "" {
			t.Errorf("images (-bundle +volumes):\n%s", d)
		}
	}
	dir := t.TempDir()
	_, err := Split(t.Context(), f.Path, SplitOptions{MaxSize: 60_000, Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "slipway.local/demo/agent:1.2.3 takes ") || !strings.Contains(err.Error(), "an image is never divided") {
		t.Errorf("error %v", err)
	}
	empty(t, dir)
}
