package bundle_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// tree is what a directory holds, each file's checksum by its name.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = bundletest.Sum(data)
	}
	return all
}

// TestSplitAgain: the directory has one set of volumes with its list. It takes the place of an
// earlier one when it is complete, and a volume that no list names is never overwritten.
func TestSplitAgain(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 50_000)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	dir := t.TempDir()
	split := func(path string, limit int64) (*bundle.Volumes, error) {
		return bundle.Split(t.Context(), path, bundle.SplitOptions{MaxSize: limit, Dir: dir})
	}
	several, one := f.Size*2/3+8<<10, f.Size+80<<10
	for _, limit := range []int64{several, several, one, several, one} {
		v, err := split(f.Path, limit)
		if err != nil {
			t.Fatal(err)
		}
		if (limit == one) != (len(v.Volumes) == 1) {
			t.Fatalf("%d volumes of at most %d bytes for a bundle of %d", len(v.Volumes), limit, f.Size)
		}
		want := map[string]string{"demo-images.volumes.json": ""}
		for _, vol := range v.Volumes {
			want[vol.File] = vol.SHA256
			want[strings.TrimSuffix(vol.File, ".tar.zst")+".txt"] = bundletest.Sum(
				[]byte(strings.Join(vol.Images, "\n") + "\n"))
		}
		got := tree(t, dir)
		got["demo-images.volumes.json"] = ""
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("files (-want +got):\n%s", d)
		}
	}

	// A split that ends in the second volume, at a layer that is damaged, changes nothing.
	dir = t.TempDir()
	if _, err := split(f.Path, one); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	data = slices.Clone(data)
	data[f.Size-f.Size/8] ^= 1
	damaged := filepath.Join(t.TempDir(), filepath.Base(f.Path))
	if err := os.WriteFile(damaged, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := split(damaged, several); err == nil || !strings.Contains(err.Error(), "demo-images.2of") {
		t.Errorf("error %v, want one of the second volume", err)
	}
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Errorf("a split that ended early left (-before +after):\n%s", d)
	}

	// Nor does one that finds a volume which is not of the earlier split, or no list that says
	// which are.
	for name, text := range map[string]string{"demo-images.7of9.tar.zst": "mine", "demo-images.volumes.json": "{"} {
		path := filepath.Join(dir, name)
		old, _ := os.ReadFile(path)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		_, err := split(f.Path, several)
		bundletest.Says(t, err, path, "delete it", "-out")
		if d := cmp.Diff(before, tree(t, dir)); d != "" {
			t.Errorf("a split that was refused left (-before +after):\n%s", d)
		}
		if old == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, old, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSplitNames: all names of an image are in one volume, with its referrers, and its layers are
// in no other. Each name can be extracted with those.
func TestSplitNames(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 50_000)
	agent := &l.Images[0]
	linux := agent.Children[0]
	agent.Tags = append(agent.Tags, "again")
	agent.FloatingTags = []lock.FloatingTag{{Tag: "latest", Repository: agent.Repository}}
	agent.PlatformTags = []lock.PlatformTag{{
		Tag: "1.2.3-linux-amd64", Platforms: []platform.Platform{linux.Platform}, MediaType: linux.MediaType,
		Digest: linux.Digest, Size: linux.Size,
	}}
	path, dir := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path, t.TempDir()
	v, err := bundle.Split(t.Context(), path, bundle.SplitOptions{MaxSize: 350_000, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, vol := range v.Volumes {
		b := bundletest.Opened(t, filepath.Join(dir, vol.File))
		n := 0
		for _, i := range b.Contents().Images {
			if !strings.Contains(i.Name, "/agent:") {
				continue
			}
			n++
			want := len(agent.Referrers)
			if strings.HasSuffix(i.Name, "-amd64") {
				want = 1
			}
			x, err := b.Extract(t.Context(), i.Name, bundle.ExtractOptions{To: filepath.Join(t.TempDir(), "image")})
			if err != nil || x.Referrers != want {
				t.Errorf("%s is extracted with %+v, want %d referrers: %v", i.Name, x, want, err)
				continue
			}
			if l, err := bundle.OpenImageLayout(x.Path); err != nil || len(l.Image.Referrers) != want {
				t.Errorf("%s: the layout has %+v: %v", i.Name, l, err)
			}
		}
		if found += n; n != 0 && n != 4 {
			t.Errorf("%s has %d names of the agent: %v", vol.File, n, vol.Images)
		}
	}
	if found != 4 || len(v.Volumes) < 2 {
		t.Errorf("%d names of the agent in %d volumes", found, len(v.Volumes))
	}
}

// TestSplitAbove: a volume that is larger than it was reckoned to be never has its name.
func TestSplitAbove(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 1000)
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0].Path)
	dir := t.TempDir()
	err := b.SplitAbove(t.Context(), 1<<40, &bundle.Volumes{Bundle: "demo-images.tar.zst"},
		bundle.SplitOptions{MaxSize: 1000, Dir: dir})
	bundletest.Says(t, err, filepath.Join(dir, "demo-images.1of1.tar.zst")+": it has ",
		"more than 1.0 kB: allow more with -max-size")
	bundletest.Empty(t, dir)
}
