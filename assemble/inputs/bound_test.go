package inputs_test

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/product"
)

// TestBounds checks archives that unpack to much, and inputs of which such an archive would come.
func TestBounds(t *testing.T) {
	var announced, zeros bytes.Buffer
	z := gzip.NewWriter(&announced)
	must(t,
		tar.NewWriter(z).WriteHeader(&tar.Header{
			Name: "product/a", Size: 17 << 30, Mode: 0o644,
			Format: tar.FormatPAX,
		}))
	must(t, z.Close())
	z = gzip.NewWriter(&zeros)
	w := tar.NewWriter(z)
	must(t, w.WriteHeader(&tar.Header{Name: "product/a", Size: 300 << 20, Mode: 0o644}))
	for range 300 {
		_, err := w.Write(make([]byte, 1<<20))
		must(t, err)
	}
	must(t, z.Close())
	for want, text := range map[string][]byte{
		"more than 16 GiB":   announced.Bytes(),
		"100 times its size": zeros.Bytes(),
	} {
		if err := inputs.Extract(bytes.NewReader(text), t.TempDir()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}

	dir := t.TempDir()
	write(t, dir, project)
	must(t, os.Truncate(filepath.Join(dir, "build", "start.sh"), 17<<30))
	p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, "slipway.yaml")})
	must(t, err)
	s := p.Source("app")
	set, err := inputs.Collect(t.Context(), p, []inputs.Source{{Name: s.Name, Directory: s.Directory, Own: s.Own}})
	must(t, err)
	var tarred bytes.Buffer
	if err := set.WriteTar(t.Context(), &tarred); err == nil || !strings.Contains(err.Error(), "more than 16 GiB") ||
		tarred.Len() > 0 {
		t.Errorf("got %v after %d bytes", err, tarred.Len())
	}
}
