package layer_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// BenchmarkWrite compares writing a layer of Go programs with go-containerregistry's
// tarball.LayerFromOpener, which ko uses.
func BenchmarkWrite(b *testing.B) {
	entries, total := goTools(b)
	for _, z := range compressions {
		b.Run(string(z), func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			for b.Loop() {
				l, err := layer.Write(b.Context(), storetest.Open(b), entries, layer.Options{Compression: z})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(l.Size)/float64(total), "ratio")
			}
		})
	}
	b.Run("ggcr", func(b *testing.B) {
		b.SetBytes(total)
		b.ReportAllocs()
		for b.Loop() {
			n, err := withRegistryLibrary(filepath.Join(b.TempDir(), "blob"), entries)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(n)/float64(total), "ratio")
		}
	})
}

// goTools returns the programs of the Go distribution: tens of megabytes of typical
// content for images of Go programs.
func goTools(b *testing.B) (entries []layer.Entry, total int64) {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	st := storetest.Open(b)
	for _, pattern := range []string{"bin/*", "pkg/tool/*/*"} {
		paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), pattern))
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range paths {
			c, err := layer.File(st, p)
			if err != nil {
				b.Fatal(err)
			}
			entries = append(entries, layer.Entry{Path: "/ko-app/" + filepath.Base(p), Mode: 0o555, Content: c})
			total += c.Size
		}
	}
	return entries, total
}

// withRegistryLibrary writes a layer as ko does: it keeps the tar in memory and
// compresses it once for the digest and once for the bytes.
func withRegistryLibrary(path string, entries []layer.Entry) (n int64, err error) {
	var buf bytes.Buffer
	t := tar.NewWriter(&buf)
	for _, e := range entries {
		if err := t.WriteHeader(&tar.Header{
			Name: e.Path[1:], Mode: 0o555, Size: e.Content.Size,
			Typeflag: tar.TypeReg,
		}); err != nil {
			return 0, err
		}
		r, err := e.Content.Open()
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(t, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return 0, err
		}
	}
	if err := t.Close(); err != nil {
		return 0, err
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buf.Bytes())), nil
	})
	if err != nil {
		return 0, err
	}
	r, err := l.Compressed()
	if err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, errors.Join(err, r.Close())
	}
	n, err = io.Copy(f, r)
	return n, errors.Join(err, r.Close(), f.Sync(), f.Close())
}
