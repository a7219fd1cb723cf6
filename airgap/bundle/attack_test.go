package bundle_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// attack is a file that is wrong.
type attack struct {
	name string
	make func(*testing.T, *victim) []byte
	want string // in the error; alternatives are separated by |
	// deep says that only a layer is wrong: what reads the head and no more finds nothing.
	deep bool
}

// victim is a good bundle or delta.
type victim struct {
	path    string
	data    []byte
	entries []bundletest.Forged
	first   int // of entries: the first layer
}

func newVictim(t *testing.T, path string) *victim {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{path: path, data: data}
	for r := tar.NewReader(bytes.NewReader(bundletest.Decompress(t, data))); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		b, all := io.ReadAll(r)
		if err := errors.Join(err, all); err != nil {
			t.Fatal(err)
		}
		v.entries = append(v.entries,
			bundletest.Forged{Header: tar.Header{Name: h.Name, Typeflag: tar.TypeReg, ModTime: h.ModTime}, Data: b})
	}
	b, err := bundle.OpenAny(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	layer := b.LayerOrder()[0].Digest
	v.first = slices.IndexFunc(v.entries, func(e bundletest.Forged) bool {
		return e.Name == bundletest.BlobName(layer)
	})
	return v
}

// forge changes the entries, each of which gets a good frame.
func (v *victim) forge(t *testing.T, change func(e []bundletest.Forged) []bundletest.Forged) []byte {
	return forgeSeekable(t, change(bundletest.Clone(v.entries)), v.first)
}

// index replaces texts in index.json.
func (v *victim) index(t *testing.T, replace ...string) []byte {
	return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
		changed := strings.NewReplacer(replace...).Replace(string(e[2].Data))
		if changed == string(e[2].Data) {
			t.Fatalf("index.json has no %q", replace[0])
		}
		e[2].Data = []byte(changed)
		return e
	})
}

// called replaces a text in both documents that have the names of images.
func (v *victim) called(t *testing.T, from, to string) []byte {
	return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
		for _, n := range []int{0, 2} {
			e[n].Data = bytes.ReplaceAll(e[n].Data, []byte(from), []byte(to))
		}
		return e
	})
}

// blob gives the blob of an entry other bytes, and in all documents of the head its new digest
// and size.
func (v *victim) blob(t *testing.T, at int, data []byte) []byte {
	return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
		old, size := e[at].Name[len("blobs/sha256/"):], len(e[at].Data)
		e[at] = bundletest.Blob(data)
		for n := range 3 {
			e[n].Data = bytes.ReplaceAll(e[n].Data, fmt.Appendf(nil, `"size":%d,"digest":"sha256:%s"`, size, old),
				fmt.Appendf(nil, `"size":%d,"digest":"sha256:%s"`, len(data), bundletest.Sum(data)))
			e[n].Data = bytes.ReplaceAll(e[n].Data, []byte(old), []byte(bundletest.Sum(data)))
		}
		return e
	})
}

// headed is the good head, as one frame, and then what write puts there; nothing is held in memory.
func (v *victim) headed(t *testing.T, table bool, write func(io.Writer)) []byte {
	t.Helper()
	return compressedStream(t, table, plainTar(t, v.entries[:v.first]), write)
}

// compressedStream is a file of begin and what write puts there: with a seek table, begin is a
// frame of its own and the rest is in frames of 1 MiB; without, the file is one frame.
func compressedStream(t *testing.T, table bool, begin []byte, write func(io.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	if !table {
		z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		z.Write(begin) //nolint:errcheck // into memory
		write(z)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	sw, err := zseek.NewWriter(&out, z)
	if err != nil {
		t.Fatal(err)
	}
	frames := &cutter{w: sw}
	frames.Write(begin) //nolint:errcheck // into memory
	frames.flush()
	write(frames)
	frames.flush()
	if err := sw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cutter gathers writes into pieces of 1 MiB.
type cutter struct {
	w   io.Writer
	buf []byte
}

func (c *cutter) Write(p []byte) (int, error) {
	c.buf = append(c.buf, p...)
	if len(c.buf) >= seekable.StoredFrame {
		c.flush()
	}
	return len(p), nil
}

func (c *cutter) flush() {
	if len(c.buf) > 0 {
		c.w.Write(c.buf) //nolint:errcheck // into memory
	}
	c.buf = c.buf[:0]
}

// plainTar is a tar of entries, without its end.
func plainTar(t *testing.T, list []bundletest.Forged) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		bundletest.Put(t, w, e)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// crowd writes very many small entries. Headers are made by hand: archive/tar takes seconds for
// them.
func crowd(t *testing.T) func(io.Writer) {
	return func(out io.Writer) {
		var one bytes.Buffer
		w := tar.NewWriter(&one)
		bundletest.Put(t,
			w,
			bundletest.Forged{Header: tar.Header{
				Name:     "blobs/sha256/" + strings.Repeat("0", 64),
				Typeflag: tar.TypeReg,
			}, Data: nil})
		header := one.Bytes()
		for n := range crowdSize {
			copy(header[len("blobs/sha256/"):], fmt.Sprintf("%064x", n))
			seal(header)
			out.Write(header) //nolint:errcheck // into memory
		}
		out.Write(make([]byte, 1024)) //nolint:errcheck // as above
	}
}

// seal computes the checksum of a tar header: the sum of its bytes, with spaces in its place.
func seal(header []byte) {
	field := header[148:156]
	copy(field, "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(field, fmt.Sprintf("%06o\x00 ", sum))
}

// giant is an archive whose entry number at has hugeFile bytes.
func (v *victim) giant(t *testing.T, at int, name string) []byte {
	return compressedStream(t, false, nil, func(out io.Writer) {
		w := tar.NewWriter(out)
		for _, e := range v.entries[:at] {
			bundletest.Put(t, w, e)
		}
		if err := w.WriteHeader(&tar.Header{
			Name: name, Typeflag: tar.TypeReg,
			Mode: 0o644, Size: hugeFile,
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(w, bundletest.Zeros{}, hugeFile); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// bomb is a frame of n blocks, each of which takes 4 bytes and stands for 128 KiB of zeros (RFC
// 8878, 3.1.1.2.2).
func bomb(n int) []byte {
	frame := []byte("\x28\xb5\x2f\xfd\x00\x68") // no size, no checksum, a window of 8 MiB
	const size, rle = 128 << 10, 1
	for k := range n {
		last := 0
		if k == n-1 {
			last = 1
		}
		block := size<<3 | rle<<1 | last
		frame = append(frame, byte(block), byte(block>>8), byte(block>>16), 0)
	}
	return frame
}

// deepJSON nests far deeper than encoding/json goes.
var deepJSON = []byte(strings.Repeat("[", 100_000))

// listed is a bundle whose index.json, of the largest size that is read, lists the same over and
// over.
func (v *victim) listed(t *testing.T, what string) []byte {
	return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
		e[2].Data = []byte(`{"manifests":[` + strings.Repeat(what+",", (2*bundle.MaxBlob-100)/(len(what)+1)) +
			what + "]}")
		return e
	})
}

// renamed is a bundle of one image under many names. It names its only layer over and over, and
// nothing holds their number against its configuration, which is of another type.
func (v *victim) renamed(t *testing.T, names, layers int) []byte {
	return v.forge(t, func(e []bundletest.Forged) []bundletest.Forged {
		layer := e[v.first]
		config := bundletest.Blob([]byte("{}"))
		one := fmt.Sprintf(`{"digest":"sha256:%s","size":%d}`, layer.Name[len("blobs/sha256/"):], len(layer.Data))
		manifest := bundletest.Blob(fmt.Appendf(nil,
			`{"config":{"mediaType":"text/plain","digest":"sha256:%s","size":2},"layers":[%s%s]}`,
			bundletest.Sum(config.Data), strings.Repeat(one+",", layers-1), one))
		var index v1.IndexManifest
		if err := json.Unmarshal(e[2].Data, &index); err != nil {
			t.Fatal(err)
		}
		index.Manifests = nil
		for n := range names {
			name := fmt.Sprintf("slipway.local/many:%d", n)
			index.Manifests = append(index.Manifests, v1.Descriptor{
				MediaType: types.OCIManifestSchema1, Size: int64(len(manifest.Data)),
				Digest:      v1.Hash{Algorithm: "sha256", Hex: bundletest.Sum(manifest.Data)},
				Annotations: map[string]string{bundle.AnnotationImageName: name, bundle.AnnotationRefName: name},
			})
		}
		index.Annotations[bundle.AnnotationMetadata] = "2"
		var err error
		if e[2].Data, err = json.Marshal(index); err != nil {
			t.Fatal(err)
		}
		e[0].Data = []byte("[]")
		return append(e[:3:3], config, manifest, layer)
	})
}

// pretend puts a frame behind the good ones and says in the seek table that it holds so many bytes.
func (v *victim) pretend(t *testing.T, frame []byte, holds uint32) []byte {
	t.Helper()
	table := bytes.Clone(v.data[len(v.data)-tableLength(t, v.data):])
	frames := v.data[:len(v.data)-len(table)]
	entry := make([]byte, 12)
	binary.LittleEndian.PutUint32(entry, uint32(len(frame)))
	binary.LittleEndian.PutUint32(entry[4:], holds)
	n := (len(table)-tableHeader-tableFooter)/12 + 1
	return announced(slices.Concat(frames, frame, table[:len(table)-tableFooter],
		entry, table[len(table)-tableFooter:]), n)
}

// announced writes into the seek table at the end of data that it has n frames.
func announced(data []byte, n int) []byte {
	at := len(data) - tableHeader - 12*n - tableFooter
	binary.LittleEndian.PutUint32(data[at+4:], uint32(12*n+tableFooter))
	binary.LittleEndian.PutUint32(data[len(data)-tableFooter:], uint32(n))
	return data
}

// unreadable are paths that cannot be read as a file.
func unreadable(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop.tar.zst")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"gone":          filepath.Join(dir, "gone.tar.zst"),
		"a directory":   dir,
		"a loop":        loop,
		"a broken disk": "/proc/self/mem", // a plain file by its mode; reading it fails
	}
}
