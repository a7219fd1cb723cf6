package source

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"
)

// TestHash1 compares hash1 with that of the library.
func TestHash1(t *testing.T) {
	dir := t.TempDir()
	for n := range 50 {
		path := filepath.Join(dir, fmt.Sprint(n%7), fmt.Sprint(n))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("x", n*1000)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := dirhash.HashDir(dir, "example.com/m@v1.0.0", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := dirhash.HashDir(dir, "example.com/m@v1.0.0", hash1); got != want || err != nil {
		t.Errorf("the hash is %s, %v; want %s", got, err, want)
	}
	open := func(string) (io.ReadCloser, error) { return nil, os.ErrPermission }
	for _, names := range [][]string{{"a", "b"}, {"a\nb"}} {
		_, wrong := dirhash.Hash1(names, open)
		if _, err := hash1(names, open); err == nil || err.Error() != wrong.Error() {
			t.Errorf("%q: %v, want %v", names, err, wrong)
		}
	}
}
