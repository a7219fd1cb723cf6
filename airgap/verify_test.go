package airgap

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/lock"
)

func verify(t testing.TB, path string, o VerifyOptions) *Report {
	t.Helper()
	r, err := Verify(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "changed.tar.zst")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestVerify: what was packed is right, with and without its seek table, and is of the release that it was packed from.
func TestVerify(t *testing.T) {
	st, l := demo(t, 20_000)
	add(t, st, l, "stored", plain(t, noise("\x1f\x8b", 2_500_000)))
	dir := t.TempDir()
	files := pack(t, st, l, dir, bundles(t)...)
	var sums strings.Builder
	for _, f := range files {
		sums.WriteString(f.SHA256 + "  " + filepath.Base(f.Path) + "\n")
	}
	list := filepath.Join(dir, "SHA256SUMS")
	if err := os.WriteFile(list, []byte(sums.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		r := verify(t, f.Path, VerifyOptions{Sums: list, Lock: l})
		if len(r.Problems) > 0 || r.Images != len(f.Images) || r.SHA256 != f.SHA256 {
			t.Errorf("%s: %+v", f.Path, r)
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(unseal(t, data)); r.Bytes != int64(n) {
			t.Errorf("%s: %d bytes of %d were read", f.Path, r.Bytes, n)
		}
		blobs := r.Blobs
		if r := verify(t, recompress(t, f.Path, t.TempDir()+"/again.tar.zst"), VerifyOptions{Lock: l}); len(r.Problems) > 0 || r.Blobs != blobs {
			t.Errorf("%s, compressed again: %+v", f.Path, r)
		}
	}
}

// TestVerifyFlips flips bytes all over a bundle, one after the other. Where nothing is found, the archive is the same, and it is told where the
// seek table is not.
func TestVerifyFlips(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 100)
	data, err := os.ReadFile(pack(t, st, l, t.TempDir(), bundles(t)...)[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	good := unseal(t, data)
	table := len(data) - tableLength(t, data)
	for n := 0; n < len(data); n += 3 - 2*(n/table) { // of the table every one
		changed := bytes.Clone(data)
		changed[n] ^= 1 << (n % 8)
		r := verify(t, write(t, changed), VerifyOptions{Lock: l})
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

// TestVerifyNames: a broken layer is told by its digest and its images, all broken ones are, and the others are counted as good.
func TestVerifyNames(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 3000)
	path := pack(t, st, l, t.TempDir(), bundles(t)[5])[0].Path
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for n, layer := range b.head.layers {
		if n%2 == 1 {
			continue
		}
		e, _ := b.archive.table.EntryByDecompressedOffset(uint64(b.places[layer.Digest].off))
		data[e.CompressedOffset+uint64(e.CompressedSize)/2] ^= 0x10
		want = append(want, layer.Digest.String())
	}
	for _, table := range []bool{true, false} {
		if !table {
			data[len(data)-1]++
		}
		r := verify(t, write(t, data), VerifyOptions{})
		var got []string
		for _, p := range r.Problems {
			if p.Blob == "" {
				continue
			}
			got = append(got, p.Blob)
			for _, i := range b.Contents().Images {
				owns := slices.ContainsFunc(i.Children, func(c Child) bool {
					return slices.ContainsFunc(c.Layers, func(l Layer) bool { return l.Digest.String() == p.Blob })
				})
				if owns != slices.Contains(p.Images, i.Name) {
					t.Errorf("%s: images %v", p.Blob, p.Images)
				}
			}
		}
		if table && !slices.Equal(got, want) {
			t.Errorf("reported %v, want %v", got, want)
		}
		if !table && len(got) != len(b.head.layers) { // nothing behind the first one can be read
			t.Errorf("reported %d blobs of %d", len(got), len(b.head.layers))
		}
	}
}

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

// TestBlobForged: bytes that are not what they are called are an error when they have been read, and an entry in the wrong place at once.
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

// forgeSeekable is a bundle with a seek table: the head is one frame, so is each entry behind it, and the end.
func forgeSeekable(t testing.TB, list []forged, head int) []byte {
	t.Helper()
	var out, raw bytes.Buffer
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	sw, err := seekable.NewWriter(&out, z)
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

// TestVerifyLonger: zeros behind the end of the archive are too much, in its last frame or in one of their own.
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
	for n := range b.archive.table.NumFrames() {
		e, _ := b.archive.table.EntryByID(n)
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
		e, _ := b.archive.table.EntryByDecompressedOffset(uint64(b.places[b.head.layers[n].Digest].off))
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

func TestVerifySums(t *testing.T) {
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	for name, c := range map[string]struct{ line, want string }{
		"right":        {f.SHA256 + "  ", ""},
		"binary":       {strings.ToUpper(f.SHA256) + " *", ""},
		"in directory": {f.SHA256 + "  ./dist/", ""},
		"wrong":        {strings.Repeat("0", 64) + "  ", "have the digest " + f.SHA256},
		"other":        {f.SHA256 + "  other-", "does not list it"},
		"no checksum":  {"hello  ", ":1: no line of sha256sum"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "SHA256SUMS")
			if err := os.WriteFile(path, []byte(c.line+filepath.Base(f.Path)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Verify(t.Context(), f.Path, VerifyOptions{Sums: path})
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
	st, packed := demo(t, 100)
	f := pack(t, st, packed, t.TempDir(), bundles(t)[5])[0]
	other := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}
	for _, c := range []struct {
		name   string
		change func(*lock.Lock)
		want   string
	}{
		{"unchanged", func(*lock.Lock) {}, ""},
		{"version", func(l *lock.Lock) { l.Version = "2" }, "it is a bundle of demo 1.2.3"},
		{"snapshot", func(l *lock.Lock) { l.Snapshot = false }, "it says snapshot true, the lock false"},
		{"digest", func(l *lock.Lock) { l.Images[0].Digest = other }, "agent:1.2.3 is sha256:"},
		{"name", func(l *lock.Lock) { l.Images[0].Tag = "other" }, "agent:other is in the lock, not in the bundle"},
		{"name, from the other side", func(l *lock.Lock) { l.Images[0].Tag = "other" }, "agent:1.2.3 is in the bundle, not in the lock"},
		{"child", func(l *lock.Lock) { l.Images[0].Children[0].Digest = other }, "agent:1.2.3 for linux/amd64 is in the lock, not in the bundle"},
		{"platform", func(l *lock.Lock) { l.Images[0].Children[0].Platform = "linux/s390x" }, "for linux/s390x in the lock"},
		{"stand-in", func(l *lock.Lock) {
			for n := range l.Images[0].Children {
				l.Images[0].Children[n].Base = nil
			}
		}, "it says stand-in bases true, the lock false"},
		{"third party", func(l *lock.Lock) { l.ThirdParty[0].Digest = other }, "pause:3.9 is sha256:"},
		{"left out", func(l *lock.Lock) { l.ThirdParty[0] = lock.ThirdParty{Reference: "x:1", LeftOut: "gone"} }, "x:1 is left out in the lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, l := demo(t, 100)
			c.change(l)
			r := verify(t, f.Path, VerifyOptions{Lock: l})
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
	st, l := demo(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)...)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, f.Path, VerifyOptions{}); err == nil {
		t.Error("a run that was stopped has a report")
	}
	if _, err := Verify(t.Context(), filepath.Dir(f.Path), VerifyOptions{}); err == nil {
		t.Error("a directory has a report")
	}
	if _, err := Verify(t.Context(), f.List, VerifyOptions{Sums: f.Path + ".none"}); err == nil {
		t.Error("checksums that are not there were read")
	}
}
