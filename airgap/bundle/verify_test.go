package bundle_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestVerify: what was packed is right, with and without its seek table, and is of the release
// that it was packed from.
func TestVerify(t *testing.T) {
	st, l := bundletest.Demo(t, 20_000)
	bundletest.Add(t, st, l, "stored", bundletest.Plain(t, bundletest.Noise("\x1f\x8b", 2_500_000)))
	dir := t.TempDir()
	files := bundletest.Pack(t, st, l, dir, bundletest.Targets(t)...)
	var sums strings.Builder
	for _, f := range files {
		sums.WriteString(f.SHA256 + "  " + filepath.Base(f.Path) + "\n")
	}
	list := filepath.Join(dir, "SHA256SUMS")
	if err := os.WriteFile(list, []byte(sums.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		r := bundletest.Verify(t, f.Path, bundle.VerifyOptions{Sums: list, Compare: airgap.Compare(l)})
		if len(r.Problems) > 0 || r.Images != len(f.Contents.Images) || r.SHA256 != f.SHA256 {
			t.Errorf("%s: %+v", f.Path, r)
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(bundletest.Decompress(t, data)); r.Bytes != int64(n) {
			t.Errorf("%s: %d bytes of %d were read", f.Path, r.Bytes, n)
		}
		blobs := r.Blobs
		if r := bundletest.Verify(t, bundletest.Recompress(t, f.Path, t.TempDir()+"/again.tar.zst"),
			bundle.VerifyOptions{Compare: airgap.Compare(l)}); len(r.Problems) > 0 || r.Blobs != blobs {
			t.Errorf("%s, compressed again: %+v", f.Path, r)
		}
	}
}

// TestVerifyFlips flips bytes all over a bundle, one after the other. Where nothing is found, the
// archive is the same, and a difference in the seek table is reported.
func TestVerifyFlips(t *testing.T) {
	extent.Plain(t)
	t.Parallel()
	st, l := bundletest.Demo(t, 100)
	data, err := os.ReadFile(bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	good := bundletest.Decompress(t, data)
	table := len(data) - tableLength(t, data)
	for n := 0; n < len(data); n += (3 - 2*(n/table)) * extent.Number(10, 1) { // of the table every one
		changed := bytes.Clone(data)
		changed[n] ^= 1 << (n % 8)
		r := bundletest.Verify(t, bundletest.Write(t, changed), bundle.VerifyOptions{Compare: airgap.Compare(l)})
		if len(r.Problems) > 0 {
			continue
		}
		if n >= table && r.Note == "" {
			t.Errorf("byte %d of %d, in the seek table: nothing was found", n, len(data))
		}
		z, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := z.DecodeAll(changed, nil); err != nil || !bytes.Equal(got, good) {
			t.Errorf("byte %d of %d: nothing was found: %v", n, len(data), err)
		}
		z.Close()
	}
}

// TestVerifyNames: a broken layer is reported with its digest and its images, all broken ones
// are, and the others are counted as good.
func TestVerifyNames(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 3000)
	path := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0].Path
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for n, layer := range b.LayerOrder() {
		if n%2 == 1 {
			continue
		}
		e, _ := seekTable(t, b.Archive().Raw()).EntryByDecompressedOffset(uint64(b.Offset(layer.Digest)))
		data[e.CompressedOffset+uint64(e.CompressedSize)/2] ^= 0x10
		want = append(want, layer.Digest.String())
	}
	for _, table := range []bool{true, false} {
		if !table {
			data[len(data)-1]++
		}
		r := bundletest.Verify(t, bundletest.Write(t, data), bundle.VerifyOptions{})
		var got []string
		for _, p := range r.Problems {
			if p.Blob == "" {
				continue
			}
			got = append(got, p.Blob)
			for _, i := range b.Contents().Images {
				owns := slices.ContainsFunc(i.Included(), func(c bundle.Manifest) bool {
					return slices.ContainsFunc(c.Layers, func(l v1.Descriptor) bool {
						return l.Digest.String() == p.Blob
					})
				})
				if owns != slices.Contains(p.Images, i.Name) {
					t.Errorf("%s: images %v", p.Blob, p.Images)
				}
			}
		}
		if table && !slices.Equal(got, want) {
			t.Errorf("reported %v, want %v", got, want)
		}
		if !table && (len(r.Problems) != 1 || len(r.Problems[0].Images) != len(b.Contents().Images)) {
			t.Errorf("nothing behind the first one can be read, and reported is %v", r.Problems)
		}
	}
}

func TestVerifySums(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	for name, c := range map[string]struct{ line, want string }{
		"right":        {f.SHA256 + "  ", ""},
		"binary":       {strings.ToUpper(f.SHA256) + " *", ""},
		"in directory": {f.SHA256 + "  ./dist/", ""},
		"wrong":        {strings.Repeat("0", 64) + "  ", "have the digest " + f.SHA256},
		"other":        {f.SHA256 + "  other-", "does not list it"},
		"no checksum":  {"hello  ", ":1: not a line of sha256sum"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "SHA256SUMS")
			if err := os.WriteFile(path, []byte(c.line+filepath.Base(f.Path)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := bundle.Verify(t.Context(), f.Path, bundle.VerifyOptions{Sums: path})
			got := ""
			if err != nil {
				got = err.Error()
			} else if len(r.Problems) > 0 {
				got = r.Problems[0].String()
			}
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q in it", got, c.want)
			}
		})
	}
}

func TestVerifyLock(t *testing.T) {
	t.Parallel()
	st, packed := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, packed, t.TempDir(), bundletest.Targets(t)[5])[0]
	other := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}
	for _, c := range []struct {
		name   string
		change func(*lock.Lock)
		want   string
	}{
		{"unchanged", func(*lock.Lock) {}, ""},
		{"version", func(l *lock.Lock) { l.Version = "2" }, "it is a bundle of demo 1.2.3"},
		{"snapshot", func(l *lock.Lock) { l.Snapshot = false }, "its snapshot mark is true, that of the lock false"},
		{"digest", func(l *lock.Lock) { l.Images[0].Digest = other }, "agent:1.2.3 is sha256:"},
		{"name", func(l *lock.Lock) {
			l.Images[0].Tags = []string{"other"}
		}, "agent:other is in the lock, not in the bundle"},
		{"name, from the other side", func(l *lock.Lock) {
			l.Images[0].Tags = []string{"other"}
		}, "agent:1.2.3 is in the bundle, not in the lock"},
		{"child", func(l *lock.Lock) {
			l.Images[0].Children[0].Digest = other
		}, "agent:1.2.3 for linux/amd64 is in the lock, not in the bundle"},
		{"platform", func(l *lock.Lock) {
			l.Images[0].Children[0].Platform = platform.Platform{OS: "linux", Architecture: "s390x"}
		}, "for linux/s390x in the lock"},
		{"stand-in", func(l *lock.Lock) {
			for n := range l.Images[0].Children {
				l.Images[0].Children[n].Base = nil
			}
		}, "its stub-base mark is true, that of the lock false"},
		{"third party", func(l *lock.Lock) { l.ThirdParty[0].Digest = other }, "pause:3.9 is sha256:"},
		{"left out", func(l *lock.Lock) {
			l.ThirdParty[0] = lock.ThirdParty{Reference: "x:1", Omitted: "gone"}
		}, "the lock omits x:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, l := bundletest.Demo(t, 100)
			c.change(l)
			r := bundletest.Verify(t, f.Path, bundle.VerifyOptions{Compare: airgap.Compare(l)})
			found := c.want == "" && len(r.Problems) == 0
			for _, p := range r.Problems {
				found = found || c.want != "" && strings.Contains(p.String(), c.want)
			}
			if !found {
				t.Errorf("problems %v, want %q among them", r.Problems, c.want)
			}
		})
	}
}

func TestVerifyStops(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bundle.Verify(ctx, f.Path, bundle.VerifyOptions{}); err == nil {
		t.Error("a run that was stopped has a report")
	}
	if _, err := bundle.Verify(t.Context(), filepath.Dir(f.Path), bundle.VerifyOptions{}); err == nil {
		t.Error("a directory has a report")
	}
	if _, err := bundle.Verify(t.Context(), f.List, bundle.VerifyOptions{Sums: f.Path + ".none"}); err == nil {
		t.Error("checksums that are not there were read")
	}
}
