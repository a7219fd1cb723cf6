//go:build linux

package buildkit

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
)

// archives are files for RUN to download and unpack, with what tar and unzip treat in a way of
// their own: owners by name, modes of several systems, links, and a directory "./".
func archives(t *testing.T) map[string][]byte {
	t.Helper()
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, h := range []tar.Header{
		{Name: "./", Typeflag: tar.TypeDir, Mode: 0o711, Uid: 3, Gid: 4},
		{Name: "./bin/", Typeflag: tar.TypeDir, Mode: 0o2755, Uid: 9, Uname: "app", Gid: 9, Gname: "users"},
		{Name: "./bin/tool", Typeflag: tar.TypeReg, Mode: 0o4775, Uid: 5, Uname: "app", Gid: 6, Gname: "nobody-knows"},
		{Name: "./bin/hard", Typeflag: tar.TypeLink, Linkname: "./bin/tool"},
		{Name: "./bin/soft", Typeflag: tar.TypeSymlink, Linkname: "tool", Mode: 0o777, Uid: 8, Gid: 8},
		{Name: "./made/below/file", Typeflag: tar.TypeReg, Mode: 0o666, Uname: "root", Uid: 77, Gname: "root", Gid: 77},
		{Name: "./top", Typeflag: tar.TypeReg, Mode: 0o640},
	} {
		content := []byte(h.Name)
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		must(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write(content)
			must(t, err)
		}
	}
	must(t, w.Close())
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, err := g.Write(plain.Bytes())
	must(t, err)
	must(t, g.Close())

	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, f := range []struct {
		name string
		mode fs.FileMode
	}{
		{"unix/", fs.ModeDir | 0o750},
		{"unix/tool", 0o775},
		{"unix/file", 0o666},
		{"unix/a/b.txt", 0o600},
		{"fat/x.EXE", 0},
		{"fat/doc.txt", 0},
		{"fat/", 0},
	} {
		h := &zip.FileHeader{Name: f.name}
		if f.mode != 0 {
			h.SetMode(f.mode)
		}
		out, err := z.CreateHeader(h)
		must(t, err)
		if f.name[len(f.name)-1] != '/' {
			_, err = out.Write([]byte(f.name))
			must(t, err)
		}
	}
	must(t, z.Close())
	all := map[string][]byte{"a.tar": plain.Bytes(), "a.tgz": gz.Bytes(), "a.zip": zipped.Bytes()}
	var sums bytes.Buffer
	for _, name := range []string{"a.tar", "a.tgz", "a.zip"} {
		sum := sha256.Sum256(all[name])
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	all["SHA256SUMS"] = sums.Bytes()
	return all
}

// server serves files over TLS to curl and wget, which find its certificate in files of their
// image, and to client.
type server struct {
	url, files string
	client     *network.Client
}

func serve(t *testing.T, files map[string][]byte) server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := files[r.URL.Path[1:]]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(b) //nolint:errcheck // the client reports what it did not get
	}))
	t.Cleanup(s.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return server{
		url: s.URL,
		files: "file 644 0:0 ca.pem " + strconv.Quote(string(ca)) +
			"\nfile 644 0:0 wgetrc \"ca_certificate=/ca.pem\\n\"\n",
		client: network.New(network.Options{Transport: s.Client().Transport}),
	}
}
