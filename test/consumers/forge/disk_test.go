package forge

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

func get(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func gzipWriter(b *bytes.Buffer) *gzip.Writer { return gzip.NewWriter(b) }

// zipExtra compresses with an extra field in the header.
func zipExtra(raw, extra []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Extra = extra
	z.Write(raw) //nolint:errcheck // to memory
	z.Close()    //nolint:errcheck // to memory
	return b.Bytes()
}

func gzipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text) //nolint:errcheck // to memory
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
