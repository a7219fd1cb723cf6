package indextest

import (
	"archive/tar"
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Files are those of a layer, in their order: path, an equals sign, and the text. A path that
// ends in a slash is a directory, "path -> target" a symbolic link; a mode stands behind the
// path: /app:0644.
type Files []string

// Layer returns the layer.
func (f Files) Layer(tb testing.TB) v1.Layer {
	tb.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, line := range f {
		name, text, _ := strings.Cut(line, "=")
		h := &tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}
		if short, mode, is := strings.Cut(name, ":0"); is {
			m, err := strconv.ParseInt(strings.TrimSuffix(mode, "/"), 8, 64)
			must(tb, err)
			name = short + mode[len(strings.TrimSuffix(mode, "/")):]
			h.Name, h.Mode = name, m
		}
		switch link, target, is := strings.Cut(name, " -> "); {
		case is:
			h.Name, h.Linkname, h.Typeflag = link, target, tar.TypeSymlink
		case strings.HasSuffix(name, "/"):
			h.Typeflag = tar.TypeDir
		}
		must(tb, w.WriteHeader(h))
		_, err := w.Write([]byte(text))
		must(tb, err)
	}
	must(tb, w.Close())
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	})
	must(tb, err)
	return l
}

// Filled returns an image with layers.
func Filled(tb testing.TB, c v1.ConfigFile, layers ...Files) v1.Image {
	tb.Helper()
	img, err := mutate.ConfigFile(empty.Image, &c)
	must(tb, err)
	for _, f := range layers {
		img, err = mutate.Append(img, mutate.Addendum{Layer: f.Layer(tb)})
		must(tb, err)
	}
	cf, err := img.ConfigFile()
	must(tb, err)
	cf = cf.DeepCopy()
	cf.History = c.History
	img, err = mutate.ConfigFile(img, cf)
	must(tb, err)
	return img
}
