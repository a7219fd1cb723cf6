package bundle_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestVerifyForged: archives that were made wrong, each frame of which is good.
func TestVerifyForged(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	good := bundletest.Headers(t, f.Path)
	first := slices.IndexFunc(good, func(e bundletest.Forged) bool {
		return e.Name == bundletest.BlobName(f.Contents.Images[0].Included()[0].Layers[0].Digest)
	})
	layer, images := good[first].Name[len("blobs/sha256/"):], f.Contents.Images[0].Name
	for _, c := range []struct {
		name  string
		forge func([]bundletest.Forged) []bundletest.Forged
		want  []string
	}{
		{"unchanged", func(e []bundletest.Forged) []bundletest.Forged { return e }, nil},
		{"extra", func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Insert(e, first+1, bundletest.Blob([]byte("extra")))
		}, []string{"it belongs to no image"}},
		{"missing", func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Delete(e, first, first+1)
		}, []string{"blob sha256:" + layer + ": it is missing", images}},
		{"twice", func(e []bundletest.Forged) []bundletest.Forged {
			return append(e, e[first])
		}, []string{"the archive has it twice"}},
		{"reordered", func(e []bundletest.Forged) []bundletest.Forged {
			e[first], e[first+1] = e[first+1],
				e[first]
			return e
		}, []string{"of the archive, not at byte"}},
		{
			"other bytes", func(e []bundletest.Forged) []bundletest.Forged { e[first].Data[3]++; return e },
			[]string{"blob sha256:" + layer, "its bytes have the digest", images},
		},
		{
			"manifest", func(e []bundletest.Forged) []bundletest.Forged { e[4].Data[9]++; return e },
			[]string{"the bytes of blob " + "sha256:" + good[4].Name[len("blobs/sha256/"):], images},
		},
		{"no file", func(e []bundletest.Forged) []bundletest.Forged {
			e[first].Typeflag = tar.TypeSymlink
			e[first].Data = nil
			return e
		}, []string{layer, "unexpected entry"}},
		{"traversal", func(e []bundletest.Forged) []bundletest.Forged {
			e[first].Name = "blobs/sha256/../../etc/passwd"
			return e
		}, []string{layer, "unexpected entry"}},
		{"no head", func(e []bundletest.Forged) []bundletest.Forged {
			return e[1:]
		}, []string{"is where manifest.json is expected"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bundletest.Verify(t, bundletest.Write(t, forgeSeekable(t, c.forge(bundletest.Clone(good)), first)),
				bundle.VerifyOptions{})
			var all strings.Builder
			for _, p := range r.Problems {
				all.WriteString(p.String() + "\n")
			}
			for _, w := range c.want {
				if !strings.Contains(all.String(), w) {
					t.Errorf("problems\n%swant %q among them", all.String(), w)
				}
			}
			if c.want == nil && all.Len() > 0 {
				t.Error(all.String())
			}
		})
	}
}

// TestBlobForged: bytes that are not what they are called are an error when they have been read,
// and an entry in the wrong place at once.
func TestBlobForged(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	all := bundletest.Headers(t, f.Path)
	layer := f.Contents.Images[0].Included()[0].Layers[0].Digest
	first := slices.IndexFunc(all, func(e bundletest.Forged) bool { return e.Name == bundletest.BlobName(layer) })
	all[first].Data[3]++
	read := func(want string) {
		t.Helper()
		b, err := bundle.Open(bundletest.Write(t, forgeSeekable(t, all, first)))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		r, err := b.Open(layer)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			r.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	read("the bytes of blob " + layer.String() + " have the digest sha256:")
	all[first].Name = bundletest.BlobName(v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)})
	read("where " + layer.String())
}

// TestVerifyMany: an archive of very many small files is given up, not reported file by file.
func TestVerifyMany(t *testing.T) {
	const count, problems = 2000, 500
	defer bundle.Limits(count, problems)()
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	all := bundletest.Headers(t, f.Path)
	first := slices.IndexFunc(all, func(e bundletest.Forged) bool {
		return e.Name == bundletest.BlobName(f.Contents.Images[0].Included()[0].Layers[0].Digest)
	})
	for n := range count {
		all = append(all, bundletest.Blob([]byte(strconv.Itoa(n))))
	}
	for _, data := range [][]byte{forgeSeekable(t, all, first), bundletest.Forge(t, all)} {
		r := bundletest.Verify(t, bundletest.Write(t, data), bundle.VerifyOptions{})
		if n := len(r.Problems); n != problems+1 && n > 20 {
			t.Errorf("%d problems are reported", n)
		}
		if last := r.Problems[len(r.Problems)-1].What; !strings.Contains(last, "more problems than these") &&
			!strings.Contains(last, "has more than") {
			t.Errorf("the last problem is %q", last)
		}
	}
}

// forgeSeekable is a bundle with a seek table: the head is one frame, so is each entry behind it,
// and the end.
func forgeSeekable(t testing.TB, list []bundletest.Forged, head int) []byte {
	t.Helper()
	var out, raw bytes.Buffer
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	sw, err := zseek.NewWriter(&out, z)
	if err != nil {
		t.Fatal(err)
	}
	cut := func() {
		if _, err := sw.Write(raw.Bytes()); err != nil {
			t.Fatal(err)
		}
		raw.Reset()
	}
	w := tar.NewWriter(&raw)
	for n, e := range list {
		if n >= head {
			cut()
		}
		bundletest.Put(t, w, e)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	cut()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cut()
	if err := sw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestVerifyLonger: zeros behind the end of the archive are too much, in its last frame or in one
// of their own.
func TestVerifyLonger(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	raw := append(bundletest.Decompress(t, data), make([]byte, 1024)...)
	var cuts []int
	for n := range seekTable(t, b.Archive().Raw()).NumFrames() {
		e, _ := seekTable(t, b.Archive().Raw()).EntryByID(n)
		cuts = append(cuts, int(e.DecompressedSize))
	}
	cuts[len(cuts)-1] += 512
	for _, longer := range [][]byte{
		resealed(t, raw[:len(raw)-512], cuts), resealed(t, raw, cuts),
		bundletest.Compress(t, raw),
	} {
		path := bundletest.Write(t, longer)
		if _, err := bundle.Open(path); err == nil ||
			!strings.Contains(err.Error(), "slipway verify lists all problems") {
			t.Errorf("opening it: %v", err)
		}
		if r := bundletest.Verify(t, path, bundle.VerifyOptions{}); len(r.Problems) != 1 {
			t.Errorf("problems %v, want one", r.Problems)
		}
	}
}

// TestVerifyTruncated: everything before the cut is verified, and one problem has the place, how
// many layers are behind it, and their images.
func TestVerifyTruncated(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 3000)
	path := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0].Path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := bundletest.Verify(t, path, bundle.VerifyOptions{}).Blobs
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for n := range b.LayerOrder() {
		e, _ := seekTable(t, b.Archive().Raw()).EntryByDecompressedOffset(uint64(b.Offset(b.LayerOrder()[n].Digest)))
		r := bundletest.Verify(t, bundletest.Write(t, data[:e.CompressedOffset]), bundle.VerifyOptions{})
		off, lost, all := b.Offset(b.LayerOrder()[n].Digest), len(b.LayerOrder())-n, len(b.LayerOrder())
		want := fmt.Sprintf("the bundle is damaged: it is truncated, at byte %d of its archive, "+
			"with %d of its %d layers behind that: copy it again", off, lost, all)
		if len(r.Problems) != 1 || r.Problems[0].What != want || len(r.Problems[0].Images) == 0 || r.Blobs != whole-lost {
			t.Errorf("cut before layer %d of %d: %d blobs are good: %v", n, all, r.Blobs, r.Problems)
		}
	}
}
