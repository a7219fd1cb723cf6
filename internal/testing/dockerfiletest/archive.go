package dockerfiletest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"os"
	"path"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/slipway-dev/slipway/platform"
	"github.com/ulikunitz/xz"
)

// hello is an archive of hello/world.
//
//go:embed hello.tar.bz2
var hello []byte

// archive packs a directory, compressed as the name says. Its files belong to 1000:1000, so that
// it is seen whether owners arrive.
func archive(tb testing.TB, name, dir string) []byte {
	tb.Helper()
	var plain bytes.Buffer
	t := tar.NewWriter(&plain)
	must(tb, t.AddFS(os.DirFS(dir)))
	must(tb, t.Close())
	var owned bytes.Buffer
	r, w := tar.NewReader(&plain), tar.NewWriter(&owned)
	for {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // the end as package tar gives it
			break
		}
		must(tb, err)
		h.Uid, h.Gid = 1000, 1000
		must(tb, w.WriteHeader(h))
		_, err = io.Copy(w, r)
		must(tb, err)
	}
	must(tb, w.Close())
	var b bytes.Buffer
	switch path.Ext(name) {
	case ".tar":
		return owned.Bytes()
	case ".gz":
		z := gzip.NewWriter(&b)
		_, err := z.Write(owned.Bytes())
		must(tb, err)
		must(tb, z.Close())
	case ".zst":
		z, err := zstd.NewWriter(&b)
		must(tb, err)
		_, err = z.Write(owned.Bytes())
		must(tb, err)
		must(tb, z.Close())
	case ".xz":
		z, err := xz.NewWriter(&b)
		must(tb, err)
		_, err = z.Write(owned.Bytes())
		must(tb, err)
		must(tb, z.Close())
	case ".bz2":
		return hello // the standard library only reads bzip2
	default:
		tb.Fatalf("unknown archive %s", name)
	}
	return b.Bytes()
}

// Tar makes an uncompressed archive of the lines that describe a layer of an [Image].
func Tar(tb testing.TB, lines []byte) []byte {
	tb.Helper()
	layers, err := Image(tb, append([]byte("layer\n"), lines...),
		platform.Platform{OS: "linux", Architecture: "amd64"}).Layers()
	must(tb, err)
	r, err := layers[0].Uncompressed()
	must(tb, err)
	defer r.Close()
	b, err := io.ReadAll(r)
	must(tb, err)
	return b
}
