package airgap

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"
)

// TestVerifyForged: archives that were made wrong, each frame of which is good.
func TestVerifyForged(t *testing.T) {
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	good := headers(t, f.Path)
	first := slices.IndexFunc(good, func(e forged) bool { return e.Name == blobName(f.Images[0].Children[0].Layers[0].Digest) })
	layer, images := good[first].Name[len("blobs/sha256/"):], f.Images[0].Name
	for _, c := range []struct {
		name  string
		forge func([]forged) []forged
		want  []string
	}{
		{"unchanged", func(e []forged) []forged { return e }, nil},
		{"extra", func(e []forged) []forged { return slices.Insert(e, first+1, blob([]byte("extra"))) }, []string{"it belongs to no image"}},
		{"missing", func(e []forged) []forged { return slices.Delete(e, first, first+1) }, []string{"blob sha256:" + layer + ": it is missing", images}},
		{"twice", func(e []forged) []forged { return append(e, e[first]) }, []string{"it stands in the archive twice"}},
		{"reordered", func(e []forged) []forged { e[first], e[first+1] = e[first+1], e[first]; return e }, []string{"where byte"}},
		{"other bytes", func(e []forged) []forged { e[first].data[3]++; return e }, []string{"blob sha256:" + layer, "its bytes have the digest", images}},
		{"manifest", func(e []forged) []forged { e[4].data[9]++; return e }, []string{"the bytes of blob " + "sha256:" + good[4].Name[len("blobs/sha256/"):], images}},
		{"no file", func(e []forged) []forged { e[first].Typeflag = tar.TypeSymlink; e[first].data = nil; return e }, []string{layer, "stands where a blob is expected"}},
		{"traversal", func(e []forged) []forged { e[first].Name = "blobs/sha256/../../etc/passwd"; return e }, []string{layer, "stands where a blob is expected"}},
		{"no head", func(e []forged) []forged { return e[1:] }, []string{"stands where manifest.json is expected"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := verify(t, write(t, forgeSeekable(t, c.forge(clone(good)), first)), VerifyOptions{})
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
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	all := headers(t, f.Path)
	layer := f.Images[0].Children[0].Layers[0].Digest
	first := slices.IndexFunc(all, func(e forged) bool { return e.Name == blobName(layer) })
	all[first].data[3]++
	read := func(want string) {
		t.Helper()
		b, err := Open(write(t, forgeSeekable(t, all, first)))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		r, _, err := b.Blob(layer)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			r.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	read("the bytes of blob " + layer.String() + " have the digest sha256:")
	all[first].Name = blobName(v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)})
	read("stands where " + layer.String())
}

// TestVerifyMany: an archive of very many small files is given up, not reported file by file.
func TestVerifyMany(t *testing.T) {
	defer func(count, problems int) { maxCount, maxProblems = count, problems }(maxCount, maxProblems)
	maxCount, maxProblems = 2000, 500
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	all := headers(t, f.Path)
	first := slices.IndexFunc(all, func(e forged) bool { return e.Name == blobName(f.Images[0].Children[0].Layers[0].Digest) })
	for n := range maxCount {
		all = append(all, blob([]byte(strconv.Itoa(n))))
	}
	for _, data := range [][]byte{forgeSeekable(t, all, first), forge(t, all)} {
		r := verify(t, write(t, data), VerifyOptions{})
		if n := len(r.Problems); n != maxProblems+1 && n > 20 {
			t.Errorf("%d problems are reported", n)
		}
		if last := r.Problems[len(r.Problems)-1].What; !strings.Contains(last, "more problems than these") && !strings.Contains(last, "has more than") {
			t.Errorf("the last problem is %q", last)
		}
	}
}

// forgeSeekable is a bundle with a seek table: the head is one frame, so is each entry behind it,
// and the end.
func forgeSeekable(t testing.TB, list []forged, head int) []byte {
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
		e.Size, e.Mode = int64(len(e.data)), 0o644
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.data); err != nil {
			t.Fatal(err)
		}
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
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	raw := append(unseal(t, data), make([]byte, 1024)...)
	var cuts []int
	for n := range seekTable(t, b.archive.Raw()).NumFrames() {
		e, _ := seekTable(t, b.archive.Raw()).EntryByID(n)
		cuts = append(cuts, int(e.DecompressedSize))
	}
	cuts[len(cuts)-1] += 512
	for _, longer := range [][]byte{resealed(t, raw[:len(raw)-512], cuts), resealed(t, raw, cuts), seal(t, raw)} {
		path := write(t, longer)
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "slipway airgap verify tells what is wrong") {
			t.Errorf("opening it: %v", err)
		}
		if r := verify(t, path, VerifyOptions{}); len(r.Problems) != 1 {
			t.Errorf("problems %v, want one", r.Problems)
		}
	}
}

// TestVerifyTruncated: everything before the cut is verified, and every layer behind it is named.
func TestVerifyTruncated(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 3000)
	path := pack(t, st, l, t.TempDir(), bundles(t)[5])[0].Path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := verify(t, path, VerifyOptions{}).Blobs
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for n := range b.head.layers {
		e, _ := seekTable(t, b.archive.Raw()).EntryByDecompressedOffset(uint64(b.places[b.head.layers[n].Digest].off))
		r := verify(t, write(t, data[:e.CompressedOffset]), VerifyOptions{})
		blobs := 0
		for _, p := range r.Problems {
			if p.Blob != "" && len(p.Images) > 0 {
				blobs++
			}
		}
		if want := len(b.head.layers) - n; blobs != want || r.Blobs != whole-want || r.Problems[0].What != "the bundle is truncated: copy it again" {
			t.Errorf("cut before layer %d of %d: %d blobs are good, %d reported: %v", n, len(b.head.layers), r.Blobs, blobs, r.Problems)
		}
	}
}
