// Package archivetest makes layouts and archives of images, as docker save, podman save and skopeo
// do.
package archivetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// Layout writes images as an OCI layout whose index.json names them.
func Layout(tb testing.TB, named map[string]mutate.Appendable) string {
	tb.Helper()
	top := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		top = mutate.AppendManifests(top, mutate.IndexAddendum{
			Add: named[name], Descriptor: v1.Descriptor{Annotations: map[string]string{
				"io.containerd.image.name":          name,
				"org.opencontainers.image.ref.name": name[strings.LastIndexByte(name, ':')+1:],
			}},
		})
	}
	dir := filepath.Join(tb.TempDir(), "files")
	must(tb, os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o755)) // Write makes it for layers alone
	_, err := layout.Write(dir, top)
	must(tb, err)
	return dir
}

// Blob is the path of a blob in a layout.
func Blob(dir string, h v1.Hash) string { return filepath.Join(dir, "blobs", h.Algorithm, h.Hex) }

// Layers returns the digests of an image's layers.
func Layers(tb testing.TB, img v1.Image) (all []v1.Hash) {
	tb.Helper()
	m, err := img.Manifest()
	must(tb, err)
	for _, l := range m.Layers {
		all = append(all, l.Digest)
	}
	return all
}

// DockerList is manifest.json for images by their names, as docker save writes it next to
// index.json.
func DockerList(tb testing.TB, images map[string]v1.Image) []byte {
	tb.Helper()
	type entry struct {
		Config           string
		RepoTags, Layers []string
	}
	var all []entry
	for _, name := range slices.Sorted(maps.Keys(images)) {
		c, err := images[name].ConfigName()
		must(tb, err)
		e := entry{Config: "blobs/sha256/" + c.Hex, RepoTags: []string{strings.TrimPrefix(name, "docker.io/library/")}}
		for _, h := range Layers(tb, images[name]) {
			e.Layers = append(e.Layers, "blobs/sha256/"+h.Hex)
		}
		all = append(all, e)
	}
	raw, err := json.Marshal(all)
	must(tb, err)
	return raw
}

// Flip changes the last byte of a file.
func Flip(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	b[len(b)-1] ^= 1
	return os.WriteFile(file, b, 0o644)
}

// Pack writes a directory as an archive: "tar", "gz" or "zst".
func Pack(tb testing.TB, dir, form string) string {
	tb.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must(tb, w.AddFS(os.DirFS(dir)))
	must(tb, w.Close())
	file := filepath.Join(tb.TempDir(), "image."+form)
	var out bytes.Buffer
	var to io.WriteCloser = nothing{&out}
	switch form {
	case "gz":
		to = gzip.NewWriter(&out)
	case "zst":
		z, err := zstd.NewWriter(&out)
		must(tb, err)
		to = z
	}
	_, err := to.Write(b.Bytes())
	must(tb, err)
	must(tb, to.Close())
	must(tb, os.WriteFile(file, out.Bytes(), 0o644))
	return file
}

type nothing struct{ io.Writer }

func (nothing) Close() error { return nil }

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
