package imagefile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/store"
)

// tried puts every image of a file into a store. What was put is complete, and an error has one
// line and is not a panic.
func tried(t *testing.T, st *store.Store, r imagefile.Reference) {
	t.Helper()
	f, err := imagefile.Open(context.Background(), r, st)
	if err == nil {
		defer f.Close() //nolint:errcheck // nothing is written
		for _, p := range f.Platforms() {
			var i *imagefile.Image
			if i, err = f.Image(p); err != nil {
				break
			}
			var taken imagefile.Taken
			if taken, err = i.Put(context.Background(), st); err != nil {
				break
			}
			complete(t, st, taken)
		}
	}
	if err != nil && strings.ContainsAny(err.Error(), "\n\r\x1b") {
		t.Errorf("the error has lines: %q", err)
	}
}

// FuzzArchive reads archives in both ways.
func FuzzArchive(f *testing.F) {
	add := func(file string) {
		raw, err := os.ReadFile(file)
		must(f, err)
		f.Add(raw)
	}
	add(docker113(f, three(f, "linux/amd64")).end())
	add(docker25(f, three(f, "linux/amd64")).end())
	add(crane(f, three(f, "linux/amd64")))
	add(gzipped(f, packed(f).end()))
	p, _ := simple(f, "l.tar", "layer", "app:1")
	add(p.end())
	st, err := store.Open(f.TempDir())
	must(f, err)
	file := filepath.Join(f.TempDir(), "app.tar")
	f.Fuzz(func(t *testing.T, raw []byte) {
		must(t, os.WriteFile(file, raw, 0o600))
		for _, transport := range []string{imagefile.OCIArchive, imagefile.DockerArchive} {
			tried(t, st, imagefile.Reference{Transport: transport, Path: file, Text: transport + ":app"})
		}
	})
}

// FuzzDocuments reads index.json and a manifest that a layout and an archive of docker save have
// with the blobs of an image.
func FuzzDocuments(f *testing.F) {
	b := build(f)
	img := three(f, "linux/amd64")
	d := b.image(img)
	b.list(named(b.index(d, b.attested(d, "{}")), "1"), b.referrer("example/sbom", d))
	raw, err := os.ReadFile(filepath.Join(b.dir, "index.json"))
	must(f, err)
	manifest, err := img.RawManifest()
	must(f, err)
	saved, err := os.ReadFile(filepath.Join(docker25Dir(f, img), "manifest.json"))
	must(f, err)
	f.Add(string(raw), string(saved), "1")
	f.Add(`{"schemaVersion":2,"manifests":[{"digest":"`+d.Digest.String()+`"}]}`, string(manifest), "")
	f.Add(`{"schemaVersion":2,"manifests":[{}]}`, `[{"Config":"blobs/sha256/x","Layers":["a","../b"]}]`, "a:b")
	st, err := store.Open(f.TempDir())
	must(f, err)
	f.Fuzz(func(t *testing.T, index, list, name string) {
		for name, text := range map[string]string{"index.json": index, "manifest.json": list} {
			must(t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
		}
		tried(t, st, imagefile.Reference{Transport: imagefile.OCI, Path: b.dir, Name: name, Text: "oci:app"})
		tried(t, st, imagefile.Reference{
			Transport: imagefile.DockerArchive, Path: archivetest.Pack(t, b.dir, "tar"), Name: name, Text: "docker-archive:app",
		})
	})
}
