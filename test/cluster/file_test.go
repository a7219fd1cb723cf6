package cluster

import (
	"archive/tar"
	"bytes"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// file is a layer with one file, in the layout of a system.
func file(os, path, text string) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	headers := []*tar.Header{{Name: path, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}}
	if os == "windows" {
		headers = []*tar.Header{
			{Name: "Files", Mode: 0o755, Typeflag: tar.TypeDir},
			{Name: "Hives", Mode: 0o755, Typeflag: tar.TypeDir},
			{Name: "Files/" + path, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg},
		}
	}
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(w, text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	})
}
