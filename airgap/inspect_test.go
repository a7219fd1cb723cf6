package airgap

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

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// TestInspect: what inspect finds is what pack reported.
func TestInspect(t *testing.T) {
	st, l := demo(t, 2000)
	for n, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		c, err := Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f.Images, c.Images); d != "" {
			t.Errorf("%s: images (-packed +inspected):\n%s", f.Path, d)
		}
		if d := cmp.Diff(f.LeftOut, c.LeftOut); d != "" {
			t.Errorf("%s: left out (-packed +inspected):\n%s", f.Path, d)
		}
		platform := ""
		if p := bundles(t)[n].Platform; !p.IsZero() {
			platform = strings.TrimPrefix(filepath.Base(f.Path), "demo-images.")
		}
		if c.Platform.IsZero() != (platform == "") || c.Product != l.Name || c.Version != l.Version || !c.Created.Equal(l.Created) || !c.Snapshot {
			t.Errorf("%s: %+v", f.Path, c)
		}
		if standIn := !strings.Contains(platform, "linux"); c.StandIn != standIn {
			t.Errorf("%s: stand-in %v", f.Path, c.StandIn)
		}
		var table strings.Builder
		if err := c.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, *update, "testdata/"+strings.TrimSuffix(filepath.Base(f.Path), ".tar.zst")+".inspect", table.String()+string(b)+"\n")
	}
}

// TestZeros: what a disk gives for a file that was never written is no bundle, and was never one.
func TestZeros(t *testing.T) {
	_, err := parseHead(bytes.NewReader(make([]byte, 64<<20)))
	if want := "not a bundle of Slipway: nothing is in it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestTruncated cuts a bundle everywhere: nothing is left of its seek table then, and it is read
// to its end to find out.
func TestTruncated(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(data); n += cutEvery {
		b, err := newBundle(bytes.NewReader(data[:n]), int64(n))
		want := "truncated"
		switch {
		case n < 4:
			want = "does not begin with a zstd frame"
		case n == len(data)-tableLength(t, data):
			if err != nil || b.contents.Note == "" {
				t.Fatalf("cut after %d bytes, behind the archive: error %v", n, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("cut after %d bytes: error %v", n, err)
		}
	}
}

// TestHostile forges bundles. Each is one error, in bounded memory.
func TestHostile(t *testing.T) {
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)[5])[0]
	good := headers(t, f.Path)
	index := func(from, to string) func([]forged) []forged {
		return func(e []forged) []forged {
			e[2].data = bytes.ReplaceAll(e[2].data, []byte(from), []byte(to))
			return e
		}
	}
	for _, c := range []struct {
		name  string
		forge func([]forged) []forged
		want  string
	}{
		{"unchanged", func(e []forged) []forged { return e }, ""},
		{"empty", func([]forged) []forged { return nil }, "not a bundle of Slipway: nothing is in it"},
		{"entries missing", func(e []forged) []forged { return e[:2] }, "truncated"},
		{"newer format", index(`bundle.format":"1"`, `bundle.format":"3"`), "the bundle has format 3, this slipway reads 2: use a newer slipway"},
		{"no format", index(`bundle.format"`, `bundle.formal"`), "not a bundle of Slipway: index.json has no format annotation"},
		{"manifest last", func(e []forged) []forged { return append(e[1:], e[0]) }, `"oci-layout" stands where manifest.json is expected`},
		{"traversal", func(e []forged) []forged { e[4].Name = "blobs/sha256/../../../etc/passwd"; return e }, "stands where a blob is expected"},
		{"symbolic link", func(e []forged) []forged {
			e[4].Typeflag, e[4].Linkname, e[4].data = tar.TypeSymlink, "/etc/passwd", nil
			return e
		}, "is not a plain file"},
		{"hard link", func(e []forged) []forged {
			e[4].Typeflag, e[4].Linkname, e[4].data = tar.TypeLink, "index.json", nil
			return e
		}, "is not a plain file"},
		{"directory in front", func(e []forged) []forged {
			return slices.Insert(e, 0, forged{tar.Header{Name: "blobs/", Typeflag: tar.TypeDir}, nil})
		}, "is not a plain file"},
		{"flipped byte", func(e []forged) []forged { e[3].data[20] ^= 1; return e }, "the bundle is damaged: the bytes of blob"},
		{"same blob twice", func(e []forged) []forged { return slices.Insert(e, 4, e[3]) }, "stands in it twice"},
		{"blob of no image", func(e []forged) []forged {
			return slices.Insert(index(`bundle.head":"26"`, `bundle.head":"27"`)(e), 4, blob([]byte("{}")))
		}, "belongs to no image"},
		{"image without blob", func(e []forged) []forged { return slices.Delete(e, 3, 4) }, "damaged|belongs to no image|does not hold it"},
		{"too few blobs said", index(`bundle.head":"26"`, `bundle.head":"20"`), "is not in the bundle|does not hold it"},
		{"many entries said", index(`bundle.head":"26"`, `bundle.head":"1000000"`), "not a number up to"},
		{"name without tag", index("demo/agent:1.2.3", "demo/agent"), "is no full name with a tag"},
		{"two images of one name", index("demo/agent:1.2.3", "demo/server:1.2.3"), "stands in index.json twice"},
		{"other name in manifest.json", func(e []forged) []forged {
			e[0].data = bytes.ReplaceAll(e[0].data, []byte("demo/agent:1.2.3"), []byte("demo/other:1.2.3"))
			return e
		}, "index.json does not"},
		{"deep JSON", func(e []forged) []forged {
			e[2].data = []byte(strings.Repeat("[", 100_000))
			return e
		}, "nests more than 32 levels deep"},
		{"bad JSON", func(e []forged) []forged { e[2].data = []byte("{"); return e }, "reading index.json: unexpected end of JSON input"},
		{"large manifest.json", func(e []forged) []forged { e[0].data = make([]byte, 20<<20); return e }, "has 20971520 bytes where at most 16777216 are expected"},
		{"many entries", func(e []forged) []forged {
			e = index(`bundle.head":"26"`, `bundle.head":"32768"`)(e)[:3]
			for i := range 7 {
				e = append(e, blob(append(make([]byte, 7<<20), fmt.Sprint(i)...)))
			}
			return e
		}, "its head is larger than 48 MiB"},
		{"platform", index(`bundle.product"`, `bundle.platform":"beos/ppc","x"`), "unknown operating system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "forged.tar.zst")
			if err := os.WriteFile(path, forge(t, c.forge(clone(good))), 0o644); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Inspect(path)
			r := verify(t, path, VerifyOptions{})
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
	if _, err := io.CopyN(z, zeros{}, 100<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := newBundle(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil || !strings.Contains(err.Error(), "window is larger than 32 MiB") {
		t.Errorf("error %v", err)
	}
}

// TestWindowUnseen: nor is a window of 2 GiB believed that a few bytes ask for.
func TestWindowUnseen(t *testing.T) {
	data := "\x28\xb5\x2f\xfd\x00\xa8\x03\x00\x00\x00"
	if _, err := newBundle(strings.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), "window is larger than 32 MiB") {
		t.Errorf("error %v", err)
	}
}

// TestOtherFiles: what is no bundle is told apart.
func TestOtherFiles(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "gzip": "\x1f\x8b\x08 …", "skippable frame first": "\x50\x2a\x4d\x18\x00\x00\x00\x00\x28\xb5\x2f\xfd"} {
		if _, err := newBundle(strings.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), "does not begin with a zstd frame") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var plain bytes.Buffer
	if err := tar.NewWriter(&plain).WriteHeader(&tar.Header{Name: "manifest.json", Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := newBundle(bytes.NewReader(plain.Bytes()), int64(plain.Len())); err == nil || !strings.Contains(err.Error(), "it is a plain tar archive") {
		t.Errorf("plain tar: error %v", err)
	}
	data := seal(t, make([]byte, 100<<20))
	if _, err := newBundle(bytes.NewReader(data), int64(len(data))); err == nil {
		t.Error("zeros are taken for a bundle")
	}
}

// TestTerminal: escape sequences in a bundle do not reach the terminal.
func TestTerminal(t *testing.T) {
	var b strings.Builder
	c := &Contents{Product: "\x1b[2Jdemo", Version: "1\r\x07", LeftOut: []LeftOut{{"x", "\u202ey"}}}
	if err := c.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.ContainsAny(s, "\x1b\r\x07\u202e") || !strings.Contains(s, `\x1b[2Jdemo 1\r\x07 for all platforms`) {
		t.Errorf("printed %q", s)
	}
}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
