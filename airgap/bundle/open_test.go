package bundle_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipway-dev/slipway/airgap/bundle"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestBlob: every blob of every bundle can be had by itself, in any order, and is what the store
// holds.
func TestBlob(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 20_000)
	bundletest.Add(t, st, l, "stored", bundletest.Plain(t, bundletest.Noise("\x1f\x8b", 2_500_000))) // several frames
	bundletest.Add(t, st, l, "plain", bundletest.Plain(t, bundletest.Noise("\x00", 9<<20)))
	for _, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		for name, open := range map[string]func(string) (*bundle.Bundle, error){
			"seekable":         bundle.Open,
			"compressed again": bundletest.Again(t),
		} {
			b, err := open(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			if seekable := name == "seekable"; seekable != (b.Contents().Note == "") {
				t.Errorf("%s, %s: note %q", f.Path, name, b.Contents().Note)
			}
			for i := len(b.LayerOrder()) - 1; i >= 0; i-- {
				same(t, b, b.LayerOrder()[i].Digest, st.Path(b.LayerOrder()[i].Digest))
			}
			for h := range b.Metadata() {
				same(t, b, h, st.Path(h))
			}
			if _, err := b.Open(v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}); err == nil {
				t.Error("a blob that is not there was found")
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func same(t *testing.T, b *bundle.Bundle, h v1.Hash, path string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Open(h)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(want) < 1<<20 {
		err = iotest.TestReader(r, want)
	} else if got, e := io.ReadAll(r); e != nil || !bytes.Equal(got, want) {
		err = fmt.Errorf("%d bytes: %w", len(got), e)
	}
	if err != nil {
		t.Errorf("%s: %v", h, err)
	}
}

// reads counts what is read of a file, and remembers where.
type reads struct {
	io.ReaderAt
	n    int64
	from []int64
}

func (r *reads) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.n += int64(n)
	r.from = append(r.from, off)
	return n, err
}

// TestInspectReadsLittle: of a bundle of any size only the head and the seek table are read.
func TestInspectReadsLittle(t *testing.T) {
	f, err := os.Open(bundletest.Large(t, min(128<<20, bigLayer)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r := &reads{ReaderAt: f}
	b, err := bundle.NewBundle(r, fi.Size())
	if err != nil {
		t.Fatal(err)
	}
	if r.n > 64<<10 {
		t.Errorf("%d bytes of %d were read", r.n, fi.Size())
	}
	first, ok := seekTable(t, b.Archive().Raw()).EntryByDecompressedOffset(uint64(b.HeadSize()))
	if !ok || first.DecompressedOffset != uint64(b.HeadSize()) {
		t.Fatalf("the first layer does not begin a frame: %+v", first)
	}
	for _, off := range r.from {
		if uint64(off) >= first.CompressedOffset && off < fi.Size()-int64(tableSize(t, b)) {
			t.Errorf("byte %d was read: it belongs to a layer, the first of which begins at %d",
				off, first.CompressedOffset)
		}
	}
}

func tableSize(t *testing.T, b *bundle.Bundle) int {
	return tableHeader + 12*int(seekTable(t, b.Archive().Raw()).NumFrames()) + tableFooter
}

func BenchmarkInspect(b *testing.B) {
	path := bundletest.Large(b, 1<<30)
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	r := &reads{ReaderAt: f}
	if _, err := bundle.NewBundle(r, fi.Size()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := bundle.Inspect(path); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.n), "read-bytes/op")
}

// TestTable: a seek table that does not describe the file is not followed.
func TestTable(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	data, err := os.ReadFile(bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	end := len(data)
	start := end - tableLength(t, data)
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"compressed size", func(b []byte) []byte { b[start+tableHeader]++; return b }, "the seek table is damaged"},
		{"decompressed size", func(b []byte) []byte { b[start+tableHeader+4]++; return b }, "damaged"},
		{"checksum of the head", func(b []byte) []byte { b[start+tableHeader+8]++; return b }, ""},
		{
			"many frames", func(b []byte) []byte { binary.LittleEndian.PutUint32(b[end-9:], 1<<31); return b },
			"the seek table is damaged: it has 2147483648 frames",
		},
		{
			"fewer frames", func(b []byte) []byte { binary.LittleEndian.PutUint32(b[end-9:], 1); return b },
			"the seek table is damaged",
		},
		{"reserved bits", func(b []byte) []byte { b[end-5] |= 4; return b }, "the seek table is damaged"},
		{"frame magic", func(b []byte) []byte { b[start]++; return b }, "the seek table is damaged"},
		{"footer magic", func(b []byte) []byte { b[end-1]++; return b }, "it has no seek table"},
		{
			"bomb", func(b []byte) []byte { binary.LittleEndian.PutUint32(b[start+tableHeader+4:], 1<<32-1); return b },
			"bytes announce 42949",
		},
		{"behind the table", func(b []byte) []byte { return append(b, 0) }, "truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := c.change(bytes.Clone(data))
			_, err := bundle.NewBundle(bytes.NewReader(changed), int64(len(changed)))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// tableLength is how many bytes the seek table at the end of data takes.
func tableLength(t testing.TB, data []byte) int {
	t.Helper()
	return tableHeader + 12*int(binary.LittleEndian.Uint32(data[len(data)-tableFooter:])) + tableFooter
}

// readAll demands that blobs are what they are called, or an error.
func readAll(t *testing.T, b *bundle.Bundle) {
	for _, l := range b.LayerOrder() {
		r, err := b.Open(l.Digest)
		if err != nil {
			continue
		}
		h, n, err := v1.SHA256(r)
		r.Close()
		if err == nil && (h != l.Digest || n != l.Size) {
			t.Errorf("%s of %d bytes was given for %s of %d", h, n, l.Digest, l.Size)
		}
	}
}
