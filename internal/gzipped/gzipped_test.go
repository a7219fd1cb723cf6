package gzipped_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/gzipped"
)

// part is contents that are deflated or stored.
type part struct {
	raw    []byte
	stored bool
}

// parts are contents of all kinds: text, noise, more than a stored block, nothing.
func parts() []part {
	noise := make([]byte, 200_000)
	rand.NewChaCha8([32]byte{1}).Read(noise) //nolint:errcheck // it has no errors
	text := []byte(strings.Repeat("every word of it is here again; ", 20_000))
	return []part{{text, false}, {noise, true}, {nil, true}, {noise, false}, {nil, false}, {text[:65535], true}}
}

// file compresses parts.
func file(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzipped.NewWriter(&b)
	for _, p := range parts {
		blocks := gzipped.Deflate(nil, p.raw)
		if p.stored {
			blocks = gzipped.Store(nil, p.raw)
		}
		w.Sum(p.raw)
		if _, err := w.Write(blocks); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFile: what is written is one member that another reader accepts, and is the same each time.
func TestFile(t *testing.T) {
	t.Parallel()
	var want []byte
	for _, p := range parts() {
		want = append(want, p.raw...)
	}
	for name, parts := range map[string][]part{"parts": parts(), "one": {{want, false}}, "none": nil} {
		data := file(t, parts...)
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		z.Multistream(false)
		got, err := io.ReadAll(z)
		if err != nil || len(parts) > 0 && !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes: %v", name, len(got), err)
		}
		if z.Name != "" || !z.ModTime.IsZero() || z.OS != 255 {
			t.Errorf("%s: header %+v", name, z.Header)
		}
		if again := file(t, parts...); !bytes.Equal(again, data) { // by encoders that were used before
			t.Errorf("%s: other bytes the second time", name)
		}
		r, err := gzipped.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(r); err != nil || len(parts) > 0 && !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes: %v", name, len(got), err)
		}
	}
}

// TestRefused: what is not one member, from the first byte to the last, is an error.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := file(t, parts()...)
	change := func(at int, to byte) []byte {
		data := bytes.Clone(good)
		data[(at+len(data))%len(data)] ^= to
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"a zero behind it", append(bytes.Clone(good), 0), "more follows"},
		{"text behind it", append(bytes.Clone(good), "more"...), "more follows"},
		{"a member behind it", append(bytes.Clone(good), file(t)...), "more follows"},
		{"CRC", change(-8, 1), "CRC-32 and the size"},
		{"size", change(-1, 1), "CRC-32 and the size"},
		{"contents", change(len(good)/2, 1), "CRC-32 and the size"},
		{"magic", change(0, 1), "not one of RFC 1952"},
		{"reserved flag", change(3, 0x20), "RFC 1952 reserves"},
		{"block type", change(10, 0x06), "blocks are damaged"},
		{"its end", good[:len(good)-1], io.ErrUnexpectedEOF.Error()},
		{"its middle", good[:len(good)/2], io.ErrUnexpectedEOF.Error()},
		{"its header", good[:7], io.ErrUnexpectedEOF.Error()},
		{"nothing", nil, io.ErrUnexpectedEOF.Error()},
	} {
		r, err := gzipped.NewReader(bytes.NewReader(c.data))
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		var member *gzipped.Error
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			errors.As(err, &member) == errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzReader: what the reader accepts is what the standard library reads as one member, and nothing
// follows it.
func FuzzReader(f *testing.F) {
	f.Add(file(f, part{[]byte("some text, some text"), false}, part{[]byte("stored"), true}))
	f.Add(file(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := gzipped.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		got, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err != nil || len(got) == 1<<20 {
			return
		}
		rest := bytes.NewReader(data)
		z, err := gzip.NewReader(rest)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		want, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, want) || rest.Len() > 0 {
			t.Errorf("%d bytes, the standard library reads %d, and %d are left: %v", len(got), len(want), rest.Len(), err)
		}
	})
}
