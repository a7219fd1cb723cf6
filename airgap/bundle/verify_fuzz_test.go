package bundle_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// FuzzVerify gives any bytes for a file.
func FuzzVerify(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(agreeing)
}

// FuzzTable gives any bytes for the seek table behind the frames of a good bundle.
func FuzzTable(f *testing.F) {
	var frames []byte
	seeds(f, func(data []byte) {
		at := len(data) - tableLength(f, data)
		frames = data[:at]
		f.Add(data[at:])
	})
	f.Fuzz(func(t *testing.T, table []byte) { agreeing(t, append(bytes.Clone(frames), table...)) })
}

// FuzzArchive gives any bytes for the archive inside good frames, which a flipped bit of a file
// never reaches: checksums are in its way.
func FuzzArchive(f *testing.F) {
	var cuts []int // frames of the last seed
	seeds(f, func(data []byte) {
		b, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			f.Fatal(err)
		}
		cuts = cuts[:0]
		for n := range seekTable(f, b.Archive().Raw()).NumFrames() {
			e, _ := seekTable(f, b.Archive().Raw()).EntryByID(n)
			cuts = append(cuts, int(e.DecompressedSize))
		}
		f.Add(bundletest.Decompress(f, data))
	})
	f.Fuzz(func(t *testing.T, raw []byte) { agreeing(t, resealed(t, raw, cuts)) })
}

// FuzzSums gives any text for SHA256SUMS: what is found is a line of it.
func FuzzSums(f *testing.F) {
	digest := strings.Repeat("0f", 32)
	for _, s := range []string{
		digest + "  bundle.tar.zst\n", digest + " *./dist/bundle.tar.zst\r\n",
		"bundle.tar.zst\n", digest + "\n\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := bundle.SumOf(bundletest.Write(t, text), "bundle.tar.zst")
		if err == nil && got != "" && (len(got) != 64 || !bytes.Contains(bytes.ToLower(text), []byte(got))) {
			t.Errorf("found %q", got)
		}
	})
}

// FuzzDelta gives any text for what a delta says of itself.
func FuzzDelta(f *testing.F) {
	f.Add(`{"base":{"file":"a.tar.zst","sha256":"` + strings.Repeat("0", 64) +
		`","product":"demo","version":"1"},"bundle":"b.tar.zst","sha256":"` + strings.Repeat("0", 64) +
		`","size":1,"lacking":[],"bytes":0}`)
	f.Add(`{"bundle":"../b.tar.zst"}`)
	f.Add(`{"base":{"file":"$(reboot) ' x","sha256":"` + strings.Repeat("0", 64) +
		`","product":"\u001b[2J","version":"1\n2"},"bundle":"-b.tar.zst","sha256":"` + strings.Repeat("0", 64) +
		`","size":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := bundle.ReadDelta(text)
		if err == nil && d != nil && (strings.ContainsAny(d.Bundle, "/") || d.Size <= 0 || len(d.SHA256) != 64) {
			t.Errorf("accepted %+v", d)
		}
		if err == nil && d != nil && !output.IsLine(d.Refusal("a.delta").Error()) {
			t.Errorf("it adds a line to a message: %q", d.Refusal("a.delta"))
		}
	})
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"kpack-images.tar.zst":    "kpack-images.tar.zst",
		"old images.tar.zst":      "'old images.tar.zst'",
		"$(reboot)'s `x`.tar.zst": `'$(reboot)'\''s ` + "`x`.tar.zst'",
	} {
		if got := bundle.Word(in); got != want {
			t.Errorf("word(%q) = %s, want %s", in, got, want)
		}
	}
}

// resealed compresses an archive in frames of the given sizes and one for the rest, with a seek
// table.
func resealed(t *testing.T, raw []byte, cuts []int) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := zseek.NewWriter(&b, z)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append(cuts, len(raw)) {
		n = min(n, len(raw))
		if n == 0 {
			continue
		}
		if _, err := w.Write(raw[:n]); err != nil {
			t.Fatal(err)
		}
		raw = raw[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// agreeing demands that Open takes what Verify finds right, that its blobs can be read then, that a
// plain decoder and archive/tar read the same, and that otherwise a blob is what it is called or an
// error.
func agreeing(t *testing.T, data []byte) {
	r := bundletest.Verify(t, bundletest.Write(t, data), bundle.VerifyOptions{})
	b, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data)))
	switch {
	case err != nil && len(r.Problems) == 0:
		t.Errorf("verified, but cannot be opened: %v", err)
	case err == nil && len(r.Problems) > 0:
		readAll(t, b)
	case err == nil:
		for _, l := range b.LayerOrder() {
			blob, err := b.Open(l.Digest)
			if err != nil {
				t.Fatal(err)
			}
			if h, n, err := v1.SHA256(blob); err != nil || h != l.Digest || n != l.Size {
				t.Errorf("verified, but %s is %s of %d bytes: %v", l.Digest, h, n, err)
			}
			blob.Close()
		}
		if err := plainly(data, b); err != nil {
			t.Errorf("verified, but not read the same from its start: %v", err)
		}
	}
}
