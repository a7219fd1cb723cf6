package bundle_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/gzipped"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// gunzip decompresses a file by the standard library's reader, which reads several members.
func gunzip(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestGzip: the .tar.gz of a bundle is the archive of its .tar.zst, verified like that one, the
// same on any number of cores, and read from its head alone by Inspect.
func TestGzip(t *testing.T) {
	st, l := bundletest.Demo(t, 20_000)
	bundletest.Add(t, st, l, "stored", bundletest.Plain(t, bundletest.Noise("\x1f\x8b", 2_500_000)))
	bundletest.Add(t, st, l, "plain", bundletest.Plain(t, bytes.Repeat([]byte("text of a layer "), 700_000)))
	files := bundletest.PackTwins(t, st, l, t.TempDir(), bundletest.Targets(t)...)
	alone := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)
	cores := seekable.Cores
	seekable.Cores = 1
	again := bundletest.PackTwins(t, st, l, t.TempDir(), bundletest.Targets(t)...)
	seekable.Cores = cores
	sums := filepath.Join(t.TempDir(), "SHA256SUMS")
	var list strings.Builder
	for n, f := range files {
		if f.SHA256 != alone[n].SHA256 || f.SHA256 != again[n].SHA256 || f.Gzip.SHA256 != again[n].Gzip.SHA256 {
			t.Errorf("%s: other bytes", f.Path)
		}
		list.WriteString(f.Gzip.SHA256 + "  " + filepath.Base(f.Gzip.Path) + "\n")
	}
	if err := os.WriteFile(sums, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data := readFile(t, f.Gzip.Path)
		archive := bundletest.Decompress(t, readFile(t, f.Path))
		if int64(len(data)) != f.Gzip.Size || !bytes.Equal(gunzip(t, data), archive) {
			t.Errorf("%s is not the archive of %s", f.Gzip.Path, f.Path)
		}
		o := bundle.VerifyOptions{Sums: sums, Compare: airgap.Compare(l)}
		r := bundletest.Verify(t, f.Gzip.Path, o)
		want := bundletest.Verify(t, f.Path, bundle.VerifyOptions{})
		if len(r.Problems) > 0 || r.Blobs != want.Blobs || r.Images != want.Images || r.Bytes != int64(len(archive)) ||
			r.SHA256 != f.Gzip.SHA256 || r.Note != "" {
			t.Errorf("%s: %+v, want %+v", f.Gzip.Path, r, want)
		}
		c, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, c)
		if err := plainly(bundletest.Compress(t, gunzip(t, data)), c); err != nil {
			t.Error(err)
		}
		head := data[:len(data)*9/10]
		if _, err := bundle.NewBundle(bytes.NewReader(head), int64(len(head))); err != nil {
			t.Errorf("the head of %s alone: %v", f.Gzip.Path, err)
		}
	}
}

// TestGzipCompressedAgain: the .tar.gz of another program, with the name of a file in its header,
// is a bundle, too.
func TestGzipCompressedAgain(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0]
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = "demo-images.tar"
	w.Write(bundletest.Decompress(t, readFile(t, f.Path))) //nolint:errcheck // a buffer has no errors
	w.Close()
	if r := bundletest.Verify(t, bundletest.Write(t, b.Bytes()), bundle.VerifyOptions{}); len(r.Problems) > 0 {
		t.Error(r.Problems)
	}
}

// TestGzipForged: what only some readers of gzip see is refused, and so is what is damaged. Where
// nothing is found of a flipped byte, the archive is the same.
func TestGzipForged(t *testing.T) {
	extent.Plain(t)
	t.Parallel()
	st, l := bundletest.Demo(t, 100)
	good := readFile(t, bundletest.PackTwins(t, st, l, t.TempDir(), bundletest.Targets(t)...)[0].Gzip.Path)
	archive := gunzip(t, good)
	var other bytes.Buffer // a member that decoders of all members append
	w := gzip.NewWriter(&other)
	w.Write(archive[:512]) //nolint:errcheck // a buffer has no errors
	w.Close()
	deflated := func(parts ...[]byte) []byte {
		var b bytes.Buffer
		w := gzipped.NewWriter(&b)
		for _, p := range parts {
			w.Sum(p)
			w.Write(gzipped.Deflate(nil, p)) //nolint:errcheck // a buffer has no errors
		}
		w.Close()
		return b.Bytes()
	}
	changed := bytes.Clone(archive)
	changed[bytes.LastIndex(archive, []byte("ustar"))-257+512] ^= 1 // of a blob: CRC and size are right
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a second member":       {append(bytes.Clone(good), other.Bytes()...), "more follows its gzip member"},
		"zeros":                 {append(bytes.Clone(good), make([]byte, 512)...), "more follows its gzip member"},
		"two members":           {append(deflated(archive[:5000]), deflated(archive[5000:])...), "more follows"},
		"an archive behind it":  {deflated(archive, archive), "bundle is damaged"},
		"zeros in its archive":  {deflated(archive, make([]byte, 512)), "bundle is damaged"},
		"no end of its archive": {deflated(archive[:len(archive)-512]), "it is truncated"},
		"a changed blob":        {deflated(changed), "its bytes have the digest"},
		"zeros alone":           {deflated(make([]byte, 64<<20)), "it is empty"},
		"nothing":               {deflated(), "it is empty"},
		"its beginning":         {good[:len(good)-9], "it is truncated"},
		"a bomb behind it":      {deflated(archive, make([]byte, 256<<20)), "bundle is damaged"},
		"another file":          {deflated([]byte(strings.Repeat("text ", 1000))), "invalid bundle"},
	} {
		r := bundletest.Verify(t, bundletest.Write(t, c.data), bundle.VerifyOptions{})
		if len(r.Problems) == 0 || !strings.Contains(r.Problems[0].What, c.want) {
			t.Errorf("%s: %+v, want %q", name, r.Problems, c.want)
		}
		if r.Bytes > int64(len(archive))+3*512 {
			t.Errorf("%s: %d bytes were read", name, r.Bytes)
		}
	}
	for n := 0; n < len(good); n += 7 {
		data := bytes.Clone(good)
		data[n] ^= 1 << (n % 8)
		r := bundletest.Verify(t, bundletest.Write(t, data), bundle.VerifyOptions{})
		if len(r.Problems) == 0 && !bytes.Equal(gunzip(t, data), archive) {
			t.Errorf("byte %d of %d: nothing was found", n, len(good))
		}
	}
}

// TestGzipRefused: a command that would read a .tar.gz from its start for every blob names the
// .tar.zst.
func TestGzipRefused(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.PackTwins(t, st, l, t.TempDir(), bundletest.Targets(t)...)[5]
	_, err := bundle.Split(t.Context(), f.Gzip.Path, bundle.SplitOptions{MaxSize: 1 << 30, Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "use "+f.Path+" of the same release") {
		t.Errorf("split: %v", err)
	}
	b, err := bundle.Open(f.Gzip.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, airgap.PushOptions{To: "127.0.0.1:1/x"})
	if err == nil || !strings.Contains(err.Error(), "use "+f.Path+" of the same release") {
		t.Errorf("push: %v", err)
	}
}

// TestGzipStops: a file that cannot be written ends the other one, too.
func TestGzipStops(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...)[5]
	b, err := bundle.Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	layout, err := bundle.NewLayout(b.Contents())
	if err != nil {
		t.Fatal(err)
	}
	w, err := bundle.NewWriter(b.Open)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "b.tar.zst")
	if _, err := w.Write(t.Context(), layout, path, filepath.Join(dir, "none", "b.tar.gz"), nil, nil); err == nil {
		t.Error("a file was written to no directory")
	}
	full := errors.New("the disk is full")
	if err := w.Twins(t.Context(), layout, io.Discard, failing{full}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) > 0 {
		t.Errorf("%v is left: %v", all, err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzGzip gives any bytes for the archive in a gzip file, and any for what follows its member.
func FuzzGzip(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(bundletest.Decompress(f, data), []byte(nil))
		f.Add(bundletest.Decompress(f, data), []byte("\x1f\x8b\x08\x00"))
	})
	f.Fuzz(func(t *testing.T, raw, more []byte) {
		var data bytes.Buffer
		w := gzipped.NewWriter(&data)
		w.Sum(raw)
		w.Write(gzipped.Deflate(nil, raw)) //nolint:errcheck // a buffer has no errors
		w.Close()
		data.Write(more)
		path := bundletest.Write(t, data.Bytes())
		problems := bundletest.Verify(t, path, bundle.VerifyOptions{}).Problems
		want := bundletest.Verify(t, bundletest.Write(t, bundletest.Compress(t, raw)), bundle.VerifyOptions{}).Problems
		if len(more) > 0 && len(problems) == 0 || len(more) == 0 && (len(want) == 0) != (len(problems) == 0) {
			t.Errorf("%d bytes behind it: as gzip %v, as zstd %v", len(more), problems, want)
		}
	})
}
