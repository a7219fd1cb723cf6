package examples

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
)

// downloads is a server of files, by the last element of their URL.
type downloads struct {
	url      string
	files    map[string][]byte
	requests atomic.Int32
	trust    string // a directory with its certificate, for SSL_CERT_DIR
}

func serveDownloads(t *testing.T, files map[string][]byte) *downloads {
	t.Helper()
	d := &downloads{files: files, trust: t.TempDir()}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.requests.Add(1)
		b, ok := files[path.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(b) //nolint:errcheck // a client that went away
	}))
	t.Cleanup(s.Close)
	d.url = s.URL
	must(t, os.WriteFile(filepath.Join(d.trust, "server.pem"),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o644))
	return d
}

// sum is the checksum of a file, in hex.
func (d *downloads) sum(file string) string { return fmt.Sprintf("%x", sha256.Sum256(d.files[file])) }

// contents gives each name a text that says it.
func contents(names ...string) map[string]string {
	all := map[string]string{}
	for _, n := range names {
		all[n] = "the content of " + n
	}
	return all
}

func tarGz(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, n := range slices.Sorted(maps.Keys(files)) {
		must(t, w.WriteHeader(&tar.Header{Name: n, Mode: 0o755, Size: int64(len(files[n])), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(files[n]))
		must(t, err)
	}
	must(t, w.Close())
	must(t, z.Close())
	return b.Bytes()
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(n)
		must(t, err)
		_, err = w.Write([]byte(files[n]))
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}
