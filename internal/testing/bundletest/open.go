package bundletest

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/slipway-dev/slipway/airgap/bundle"
)

// Again opens a bundle that was decompressed and compressed again by another program: one frame,
// no seek table.
func Again(t *testing.T) func(string) (*bundle.Bundle, error) {
	return func(path string) (*bundle.Bundle, error) {
		out := t.TempDir() + "/again.tar.zst"
		return bundle.Open(Recompress(t, path, out))
	}
}

// Recompress writes a bundle to out as another program compresses it: one frame, no seek table.
func Recompress(t testing.TB, path, out string) string {
	t.Helper()
	from, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	raw, err := zstd.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	to, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(8<<20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(z, raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Decompress decompresses a bundle.
func Decompress(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(data)) // DecodeAll copies all that it has at each frame
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Large is a bundle that has a layer of size bytes, stored in frames of 1 MiB.
func Large(tb testing.TB, size int64) string {
	tb.Helper()
	st, l := Demo(tb, 100_000)
	Add(tb, st, l, "big", NewBig(tb, "\x1f\x8b", size))
	return Pack(tb, st, l, tb.TempDir(), Targets(tb)[5])[0].Path
}
