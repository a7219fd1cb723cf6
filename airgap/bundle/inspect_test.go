package bundle_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// TestInspect: what inspect finds is what pack reported.
func TestInspect(t *testing.T) {
	st, l := bundletest.Demo(t, 2000)
	for n, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		c, err := bundle.Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f.Contents.Images, c.Images, bundletest.Trees); d != "" {
			t.Errorf("%s: images (-packed +inspected):\n%s", f.Path, d)
		}
		if d := cmp.Diff(f.Contents.Omitted, c.Omitted); d != "" {
			t.Errorf("%s: left out (-packed +inspected):\n%s", f.Path, d)
		}
		platform := ""
		if p := bundletest.Targets(t)[n].Platform; !p.IsZero() {
			platform = strings.TrimPrefix(filepath.Base(f.Path), "demo-images.")
		}
		if c.Platform.IsZero() != (platform == "") || c.Product != l.Name || c.Version != l.Version ||
			!c.Created.Equal(l.Created) || !c.Snapshot {
			t.Errorf("%s: %+v", f.Path, c)
		}
		if standIn := !strings.Contains(platform, "linux"); c.StubBases != standIn {
			t.Errorf("%s: stand-in %v", f.Path, c.StubBases)
		}
		var table strings.Builder
		if err := c.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, *update, "testdata/"+strings.TrimSuffix(filepath.Base(f.Path), ".tar.zst")+".inspect",
			table.String()+string(b)+"\n")
	}
}

// TestZeros: what a disk gives for a file that was never written is not a bundle, and was never
// one.
func TestZeros(t *testing.T) {
	_, err := bundle.ParseHead(bytes.NewReader(make([]byte, 64<<20)))
	if want := "invalid bundle: it is empty"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestTruncated cuts a bundle everywhere: nothing is left of its seek table then, and it is read
// to its end to find out.
func TestTruncated(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(data); n += cutEvery {
		_, err := bundle.NewBundle(bytes.NewReader(data[:n]), int64(n))
		want := "truncated"
		if n < 4 {
			want = "does not begin with a zstd frame or a gzip header"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("cut after %d bytes: error %v", n, err)
		}
	}
}

// TestHostile forges bundles. Each is one error, in bounded memory.
func TestHostile(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	good := bundletest.Headers(t, f.Path)
	index := func(from, to string) func([]bundletest.Forged) []bundletest.Forged {
		return func(e []bundletest.Forged) []bundletest.Forged {
			e[2].Data = bytes.ReplaceAll(e[2].Data, []byte(from), []byte(to))
			return e
		}
	}
	for _, c := range []struct {
		name  string
		forge func([]bundletest.Forged) []bundletest.Forged
		want  string
	}{
		{"unchanged", func(e []bundletest.Forged) []bundletest.Forged { return e }, ""},
		{"empty", func([]bundletest.Forged) []bundletest.Forged { return nil }, "invalid bundle: it is empty"},
		{"entries missing", func(e []bundletest.Forged) []bundletest.Forged { return e[:2] }, "truncated"},
		{
			"newer format", index(`bundle.format":"1"`, `bundle.format":"3"`),
			"the bundle has format 3, this slipway reads 1: use a newer slipway",
		},
		{"no format", index(`bundle.format"`, `bundle.formal"`), "invalid bundle: index.json has no format annotation"},
		{"manifest last", func(e []bundletest.Forged) []bundletest.Forged {
			return append(e[1:], e[0])
		}, `"oci-layout" is where manifest.json is expected`},
		{"traversal", func(e []bundletest.Forged) []bundletest.Forged {
			e[4].Name = "blobs/sha256/../../../etc/passwd"
			return e
		}, "unexpected entry"},
		{"symbolic link", func(e []bundletest.Forged) []bundletest.Forged {
			e[4].Typeflag, e[4].Linkname, e[4].Data = tar.TypeSymlink, "/etc/passwd", nil
			return e
		}, "is not a plain file"},
		{"hard link", func(e []bundletest.Forged) []bundletest.Forged {
			e[4].Typeflag, e[4].Linkname, e[4].Data = tar.TypeLink, "index.json", nil
			return e
		}, "is not a plain file"},
		{"directory in front", func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Insert(e,
				0, bundletest.Forged{Header: tar.Header{Name: "blobs/", Typeflag: tar.TypeDir}, Data: nil})
		}, "is not a plain file"},
		{
			"flipped byte", func(e []bundletest.Forged) []bundletest.Forged { e[3].Data[20] ^= 1; return e },
			"the bundle is damaged: the bytes of blob",
		},
		{"same blob twice", func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Insert(e, 4, e[3])
		}, "it has blob"},
		{"blob of no image", func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Insert(index(`bundle.metadata-blobs":"26"`, `bundle.metadata-blobs":"27"`)(e),
				4, bundletest.Blob([]byte("{}")))
		}, "belongs to no image"},
		{"image without blob", func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Delete(e, 3, 4)
		}, "damaged|belongs to no image|not included"},
		{
			"too few blobs said", index(`bundle.metadata-blobs":"26"`, `bundle.metadata-blobs":"20"`),
			"is not in the bundle|not included",
		},
		{
			"many entries said", index(`bundle.metadata-blobs":"26"`, `bundle.metadata-blobs":"1000000"`),
			"not a number up to",
		},
		{"name without tag", index("demo/agent:1.2.3", "demo/agent"), "is not a full name with a tag"},
		{"two images of one name", index("demo/agent:1.2.3", "demo/server:1.2.3"), "index.json lists slipway.local"},
		{"other name in manifest.json", func(e []bundletest.Forged) []bundletest.Forged {
			e[0].Data = bytes.ReplaceAll(e[0].Data, []byte("demo/agent:1.2.3"), []byte("demo/other:1.2.3"))
			return e
		}, "index.json does not"},
		{"deep JSON", func(e []bundletest.Forged) []bundletest.Forged {
			e[2].Data = []byte(strings.Repeat("[", 100_000))
			return e
		}, "nests more than 32 levels deep"},
		{
			"bad JSON", func(e []bundletest.Forged) []bundletest.Forged { e[2].Data = []byte("{"); return e },
			"reading index.json: it ends in the middle, after 1 bytes",
		},
		{
			"large manifest.json",
			func(e []bundletest.Forged) []bundletest.Forged { e[0].Data = make([]byte, 20<<20); return e },
			"has 20971520 bytes where at most 16777216 are expected",
		},
		{"many entries", func(e []bundletest.Forged) []bundletest.Forged {
			e = index(`bundle.metadata-blobs":"26"`, `bundle.metadata-blobs":"32768"`)(e)[:3]
			for i := range 7 {
				e = append(e, bundletest.Blob(append(make([]byte, 7<<20), fmt.Sprint(i)...)))
			}
			return e
		}, "its head is larger than 48 MiB"},
		{"platform", index(`bundle.product"`, `bundle.platform":"beos/ppc","x"`), "unknown operating system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "forged.tar.zst")
			if err := os.WriteFile(path, bundletest.Forge(t, c.forge(bundletest.Clone(good))), 0o644); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := bundle.Inspect(path)
			r := bundletest.Verify(t, path, bundle.VerifyOptions{})
			runtime.ReadMemStats(&after)
			if (c.want == "") != (len(r.Problems) == 0) {
				t.Errorf("verifying it finds %v", r.Problems)
			}
			found := c.want == "" && err == nil
			for _, w := range strings.Split(c.want, "|") {
				found = found || w != "" && err != nil && strings.Contains(err.Error(), w)
			}
			if !found {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
				t.Errorf("%d MiB were allocated", n>>20)
			}
		})
	}
}

// TestWindow: a frame that asks for a window of 64 MiB is refused before it is believed.
func TestWindow(t *testing.T) {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(z, bundletest.Zeros{}, 100<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.NewBundle(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil ||
		!strings.Contains(err.Error(), "window is larger than 32 MiB") {
		t.Errorf("error %v", err)
	}
}

// TestWindowUnseen: nor is a window of 2 GiB believed that a few bytes ask for.
func TestWindowUnseen(t *testing.T) {
	data := "\x28\xb5\x2f\xfd\x00\xa8\x03\x00\x00\x00"
	if _, err := bundle.NewBundle(strings.NewReader(data), int64(len(data))); err == nil ||
		!strings.Contains(err.Error(), "window is larger than 32 MiB") {
		t.Errorf("error %v", err)
	}
}

// TestOtherFiles: files that are not bundles are recognized.
func TestOtherFiles(t *testing.T) {
	for name, data := range map[string]string{
		"empty": "", "zip": "PK\x03\x04 …",
		"skippable frame first": "\x50\x2a\x4d\x18\x00\x00\x00\x00\x28\xb5\x2f\xfd",
	} {
		if _, err := bundle.NewBundle(strings.NewReader(data), int64(len(data))); err == nil ||
			!strings.Contains(err.Error(), "does not begin with a zstd frame") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var plain bytes.Buffer
	if err := tar.NewWriter(&plain).WriteHeader(&tar.Header{Name: "manifest.json", Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.NewBundle(bytes.NewReader(plain.Bytes()), int64(plain.Len())); err == nil ||
		!strings.Contains(err.Error(), "it is a plain tar archive") {
		t.Errorf("plain tar: error %v", err)
	}
	data := bundletest.Compress(t, make([]byte, 100<<20))
	if _, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data))); err == nil {
		t.Error("zeros are taken for a bundle")
	}
}

// TestTerminal: escape sequences in a bundle do not reach the terminal.
func TestTerminal(t *testing.T) {
	var b strings.Builder
	c := &bundle.Contents{Product: "\x1b[2Jdemo", Version: "1\r\x07", Omitted: []bundle.Omission{{"x", "\u202ey"}}}
	if err := c.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.ContainsAny(s, "\x1b\r\x07\u202e") ||
		!strings.Contains(s, `\x1b[2Jdemo 1\r\x07 for all platforms`) {
		t.Errorf("printed %q", s)
	}
}
