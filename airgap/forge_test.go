package airgap

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// forged is an entry of a tar that a test makes up.
type forged struct {
	tar.Header
	data []byte
}

func blob(b []byte) forged {
	return forged{tar.Header{Name: "blobs/sha256/" + sum(b), Typeflag: tar.TypeReg}, b}
}

func headers(t *testing.T, path string) []forged {
	t.Helper()
	var all []forged
	for _, e := range entries(t, path) {
		all = append(all, forged{tar.Header{Name: e.name, Typeflag: tar.TypeReg}, e.data})
	}
	return all
}

func clone(list []forged) []forged {
	list = slices.Clone(list)
	for i := range list {
		list[i].data = bytes.Clone(list[i].data)
	}
	return list
}

func forge(t *testing.T, list []forged) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		e.Size, e.Mode = int64(len(e.data)), 0o644
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if len(list) == 0 {
		return seal(t, nil)
	}
	return seal(t, b.Bytes())
}

// seal compresses in frames of 8 MiB, as a bundle is.
func seal(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	out := z.EncodeAll(nil, []byte{})
	if len(b) == 0 {
		return append(out, "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"...) // an empty frame
	}
	for len(b) > 0 {
		n := min(len(b), seekable.CompressedFrame)
		out, b = z.EncodeAll(b[:n], out), b[n:]
	}
	return out
}

type zeros struct{}
