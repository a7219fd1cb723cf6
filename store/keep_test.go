package store_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestKeepAlso checks that every hash of a kept file gets all its bytes, in order, and that what
// cannot be written to one is an error.
func TestKeepAlso(t *testing.T) {
	st := storetest.Open(t)
	dir, err := st.Work("kept")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, 1 << 20, 3<<20 + 17} {
		content := make([]byte, size)
		for n := range content {
			content[n] = byte(n >> (n % 11))
		}
		path := filepath.Join(dir, fmt.Sprint(size))
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		h := sha512.New()
		k, err := st.Keep(t.Context(), path, h)
		if err != nil {
			t.Fatal(err)
		}
		want := sha512.Sum512(content)
		if got := h.Sum(nil); !bytes.Equal(got, want[:]) {
			t.Errorf("%d bytes have the SHA-512 %x, want %x", size, got, want)
		}
		if want := fmt.Sprintf("%x", sha256.Sum256(content)); k.Digest.Hex != want || k.Size != int64(size) {
			t.Errorf("%d bytes: %+v, want SHA-256 %s", size, k, want)
		}
	}
	full := errors.New("full")
	if k, err := st.Keep(t.Context(), filepath.Join(dir, "1"),
		writer(func([]byte) (int, error) { return 0, full })); !errors.Is(err, full) {
		t.Errorf("%+v, %v, want the error of the other hash", k, err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
