package airgap_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestGolden holds the entries, both views and the list of every bundle against testdata.
func TestGolden(t *testing.T) {
	st, l := bundletest.Demo(t, 2000)
	for _, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		base := strings.TrimSuffix(filepath.Base(f.Path), ".tar.zst")
		t.Run(base, func(t *testing.T) {
			var b strings.Builder
			for _, e := range bundletest.Entries(t, f.Path) {
				fmt.Fprintf(&b, "%s %d\n", e.Name, len(e.Data))
				if strings.HasSuffix(e.Name, ".json") {
					b.WriteString(bundletest.Indent(t, e.Data))
				}
			}
			list, err := os.ReadFile(f.List)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, *update, "testdata/"+base+".golden", b.String()+"list\n"+string(list))
		})
	}
}

// TestContent holds every bundle against the store and the lock.
func TestContent(t *testing.T) {
	st, l := bundletest.Demo(t, 2000)
	l.Images[1].Children[0].Base = nil
	for n, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		all := bundletest.Entries(t, f.Path)
		seen := map[string]bool{}
		for _, e := range all {
			if seen[e.Name] {
				t.Errorf("%s: %s stands in the archive twice", f.Path, e.Name)
			}
			seen[e.Name] = true
			if hex, ok := strings.CutPrefix(e.Name, "blobs/sha256/"); ok && hex != bundletest.Sum(e.Data) {
				t.Errorf("%s: %s has the digest %s", f.Path, e.Name, bundletest.Sum(e.Data))
			}
		}
		agent := f.Contents.Images[slices.IndexFunc(f.Contents.Images, func(i bundle.Image) bool {
			return i.Name == "slipway.local/demo/agent:1.2.3"
		})]
		if agent.Digest() != l.Images[0].Digest || agent.Reference() != l.Images[0].Reference() {
			t.Errorf("%s: agent is %s, want the digest that the lock pins", f.Path, agent.Reference())
		}
		want := 1
		if b := bundletest.Targets(t)[n]; b.Platform.IsZero() {
			want = 5
		}
		if len(agent.Included()) != want || len(agent.Missing()) != 5-want {
			t.Errorf("%s: agent has %d children and lacks %d, want %d and %d", f.Path, len(agent.Included()),
				len(agent.Missing()), want, 5-want)
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Size != int64(len(data)) || f.SHA256 != bundletest.Sum(data) {
			t.Errorf("%s: reported %d bytes with digest %s", f.Path, f.Size, f.SHA256)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	linux, windows := bundletest.Targets(t)[:1], bundletest.Targets(t)[2:3]
	for _, c := range []struct {
		name    string
		bundles []airgap.Target
		change  func(*testing.T, *lock.Lock)
		want    []string
	}{
		{
			"in no bundle", linux, func(_ *testing.T, l *lock.Lock) {},
			[]string{"slipway.local/demo/lifecycle:1.2.3 is in no bundle", "all platforms"},
		},
		{"both are reported", windows, func(_ *testing.T, l *lock.Lock) {
			l.ThirdParty = nil
		}, []string{"demo/server:1.2.3 is in no bundle: it has linux/amd64", "demo/lifecycle:1.2.3 is in no bundle"}},
		{
			"empty bundle",
			append(bundletest.Targets(t),
				airgap.Target{Name: "x", Platform: platform.Platform{OS: "linux", Architecture: "s390x"}}),
			func(_ *testing.T, l *lock.Lock) {},
			[]string{"bundle x would be empty: no image has linux/s390x"},
		},
		{
			"no images", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) { l.Images, l.ThirdParty = nil, nil },
			[]string{"would be empty: no image has a platform: add images to the release"},
		},
		{"no names", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[1].Repository = ""
		}, []string{"server has no name in the lock: publish"}},
		{"one name twice", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[1].Repository = l.Images[0].Repository
		}, []string{"demo/agent:1.2.3 is on the list twice"}},
		{"wrong child in lock", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[0].Children[2], l.Images[0].Children[3] = l.Images[0].Children[3], l.Images[0].Children[2]
		}, []string{"agent: the lock has", "10.0.20348.1"}},
		{"child missing in lock", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[0].Children = l.Images[0].Children[:4]
		}, []string{"agent: the lock names 4 platforms", "has 5"}},
		{"wrong platform in lock", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[1].Children[0].Platform = platform.Platform{OS: "linux", Architecture: "arm64"}
		}, []string{"server: the lock has", "as linux/arm64"}},
		{"blob missing", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.ThirdParty[0].Digest.Hex = strings.Repeat("0", 64)
		}, []string{"pause:3.9@", "is not in the store"}},
		{"size", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.ThirdParty[0].Size++
		}, []string{"pause:3.9@", "its descriptor says"}},
		{"wrong digest in lock", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[0].Children[0].Digest = l.Images[1].Digest
		}, []string{"agent: the lock has "}},
		{"bad reference", bundletest.Targets(t), func(_ *testing.T, l *lock.Lock) {
			l.ThirdParty[0].Reference = "a b"
		}, []string{"a b:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, l := bundletest.Demo(t, 100)
			c.change(t, l)
			dir := t.TempDir()
			_, _, err := airgap.Pack(t.Context(), st, l, c.bundles, airgap.PackOptions{Dir: dir})
			for _, w := range c.want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("error %v, want %q in it", err, w)
				}
			}
			bundletest.Empty(t, dir)
			early := airgap.CheckTargets(l, c.bundles) // of third-party images it knows the platforms in no case
			if early != nil && !strings.HasPrefix(err.Error(), early.Error()) ||
				early == nil && strings.Contains(err.Error(), "is in no bundle") {
				t.Errorf("before it is pushed: %v, and when it is packed: %v", early, err)
			}
		})
	}
}

// TestMislabelled: an index that calls a 2022 image 2025 is refused, whoever made it.
func TestMislabelled(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	i, err := storetest.OpenIndex(st, l.ThirdParty[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := i.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte("10.0.17763.5"), []byte("10.0.26100.5"))
	h, err := st.PutBytes(raw)
	if err != nil {
		t.Fatal(err)
	}
	l.ThirdParty[0].Digest = h
	_, _, err = airgap.Pack(t.Context(), st, l, bundletest.Targets(t), airgap.PackOptions{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(),
		"for windows/amd64:10.0.26100.5, but the image is for windows/amd64:10.0.17763.5") {
		t.Errorf("error %v", err)
	}
}

// TestPartial packs some images only, which need not fill every bundle.
func TestPartial(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	l.Images = l.Images[1:2]
	l.ThirdParty = nil
	files, _, err := airgap.Pack(t.Context(), st, l, bundletest.Targets(t),
		airgap.PackOptions{Dir: t.TempDir(), Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || len(files[0].Contents.Images) != 1 || len(files[1].Contents.Images) != 1 {
		t.Errorf("got %d files, want those for linux/amd64 and for all", len(files))
	}
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 1000)
	other, m := bundletest.Demo(t, 1000)
	for _, prefix := range []string{"\x1f\x8b", "text"} {
		bundletest.Add(t, st, l, "large"+strconv.Itoa(len(prefix)),
			bundletest.Plain(t, bundletest.Noise(prefix, 9<<20)))
		bundletest.Add(t, other, m, "large"+strconv.Itoa(len(prefix)),
			bundletest.Plain(t, bundletest.Noise(prefix, 9<<20)))
	}
	a := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)
	b := bundletest.Pack(t, other, m, t.TempDir(), bundletest.Targets(t)...)
	for i := range a {
		if a[i].SHA256 != b[i].SHA256 {
			t.Errorf("%s has two digests: %s and %s", a[i].Path, a[i].SHA256, b[i].SHA256)
		}
	}
}

func TestReuse(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	dir, all := t.TempDir(), airgap.Target{Name: "demo-images"}
	first := bundletest.Pack(t, st, l, dir, all)[0]
	for _, c := range []struct {
		name   string
		change func() error
		reused bool
	}{
		{"nothing changed", func() error { return nil }, true},
		{"list gone", func() error { return os.Remove(first.List) }, true},
		{"file touched", func() error { return os.WriteFile(first.Path, []byte("x"), 0o644) }, false},
		{"other bytes, same size", func() error {
			return os.WriteFile(first.Path, make([]byte, first.Size), 0o644)
		}, false},
		{"other size, same time", func() error {
			fi, err := os.Stat(first.Path)
			if err != nil {
				return err
			}
			return errors.Join(os.Truncate(first.Path, 10), os.Chtimes(first.Path, fi.ModTime(), fi.ModTime()))
		}, false},
		{"file gone", func() error { return os.Remove(first.Path) }, false},
		{"version changed", func() error { l.Version = "2"; return nil }, false},
		{"image gone", func() error { l.ThirdParty = l.ThirdParty[1:]; return nil }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			f := bundletest.Pack(t, st, l, dir, all)[0]
			if f.Reused != c.reused {
				t.Errorf("reused: %v", f.Reused)
			}
			data, err := os.ReadFile(f.Path)
			if err != nil || bundletest.Sum(data) != f.SHA256 || int64(len(data)) != f.Size {
				t.Errorf("the file has digest %s, reported was %s: %v", bundletest.Sum(data), f.SHA256, err)
			}
			if _, err := os.Stat(f.List); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	h := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("ab", 32)}
	for ref, want := range map[string][2]string{
		"busybox": {
			"docker.io/library/busybox:latest",
			"docker.io/library/busybox@" + h.String(),
		},
		"busybox:1.36":                   {"docker.io/library/busybox:1.36", "docker.io/library/busybox@" + h.String()},
		"busybox:1.36@" + h.String():     {"docker.io/library/busybox:1.36", "docker.io/library/busybox@" + h.String()},
		"r.io:5000/a/b@" + h.String():    {"r.io:5000/a/b:sha256-" + h.Hex, "r.io:5000/a/b@" + h.String()},
		"registry.k8s.io/pause:3.9":      {"registry.k8s.io/pause:3.9", "registry.k8s.io/pause@" + h.String()},
		"index.docker.io/rancher/x:v1":   {"docker.io/rancher/x:v1", "docker.io/rancher/x@" + h.String()},
		"localhost:5000/x:v1":            {"localhost:5000/x:v1", "localhost:5000/x@" + h.String()},
		"docker.io/library/busybox:1.36": {"docker.io/library/busybox:1.36", "docker.io/library/busybox@" + h.String()},
	} {
		tagged, err := imagename.Bundled(ref, h)
		if d := cmp.Diff(want, [2]string{tagged, bundletest.Image(tagged, h).Reference()}); d != "" || err != nil {
			t.Errorf("%s: %v %s", ref, err, d)
		}
	}
}
