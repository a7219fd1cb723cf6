package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestKeep checks the digest and the size of kept files.
func TestKeep(t *testing.T) {
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
		k, err := st.Keep(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%x", sha256.Sum256(content)); k.Digest.Hex != want || k.Size != int64(size) {
			t.Errorf("%d bytes: %+v, want SHA-256 %s", size, k, want)
		}
	}
}
