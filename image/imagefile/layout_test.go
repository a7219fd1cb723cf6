package imagefile_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
)

// builder writes a layout as another builder does, and with its faults.
type builder struct {
	tb  testing.TB
	dir string
	top []v1.Descriptor
}

func build(tb testing.TB) *builder {
	tb.Helper()
	b := &builder{tb: tb, dir: filepath.Join(tb.TempDir(), "app")}
	must(tb, os.MkdirAll(filepath.Join(b.dir, "blobs", "sha256"), 0o755))
	b.write("oci-layout", `{"imageLayoutVersion":"1.0.0"}`)
	return b
}

func (b *builder) write(name, text string) {
	b.tb.Helper()
	must(b.tb, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644))
}

func (b *builder) remove(h v1.Hash) {
	b.tb.Helper()
	must(b.tb, os.Remove(b.path(h)))
}

func (b *builder) path(h v1.Hash) string { return archivetest.Blob(b.dir, h) }

// blob writes a blob.
func (b *builder) blob(text string, mediaType types.MediaType) v1.Descriptor {
	b.tb.Helper()
	h, size, err := v1.SHA256(bytes.NewReader([]byte(text)))
	must(b.tb, err)
	b.write("blobs/sha256/"+h.Hex, text)
	return v1.Descriptor{MediaType: mediaType, Digest: h, Size: size}
}

// json writes a document.
func (b *builder) json(v any, mediaType types.MediaType) v1.Descriptor {
	b.tb.Helper()
	raw, err := json.Marshal(v)
	must(b.tb, err)
	return b.blob(string(raw), mediaType)
}

// image writes the blobs of an image.
func (b *builder) image(img v1.Image) v1.Descriptor {
	b.tb.Helper()
	raw, err := img.RawManifest()
	must(b.tb, err)
	config, err := img.RawConfigFile()
	must(b.tb, err)
	m, err := img.Manifest()
	must(b.tb, err)
	layers, err := img.Layers()
	must(b.tb, err)
	b.blob(string(config), m.Config.MediaType)
	for _, l := range layers {
		r, err := l.Compressed()
		must(b.tb, err)
		var text bytes.Buffer
		_, err = text.ReadFrom(r)
		must(b.tb, err)
		b.blob(text.String(), types.OCILayer)
	}
	return b.blob(string(raw), m.MediaType)
}

// on writes an image for a platform.
func (b *builder) on(platform string) v1.Descriptor {
	b.tb.Helper()
	return b.image(indextest.Image(b.tb, platform, types.OCIManifestSchema1))
}

// changed writes an image for linux/amd64 whose manifest is changed.
func (b *builder) changed(change func(m *v1.Manifest)) v1.Descriptor {
	b.tb.Helper()
	img := indextest.Image(b.tb, "linux/amd64", types.OCIManifestSchema1)
	b.image(img)
	m, err := img.Manifest()
	must(b.tb, err)
	change(m)
	return b.json(m, m.MediaType)
}

// index writes an index.
func (b *builder) index(list ...v1.Descriptor) v1.Descriptor {
	b.tb.Helper()
	return b.json(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: list}, types.OCIImageIndex)
}

// list adds entries to index.json.
func (b *builder) list(list ...v1.Descriptor) *builder {
	b.tb.Helper()
	b.top = append(b.top, list...)
	raw, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: b.top})
	must(b.tb, err)
	b.write("index.json", string(raw))
	return b
}

// with returns a descriptor with annotations: a key, then its value.
func with(d v1.Descriptor, annotations ...string) v1.Descriptor {
	d.Annotations = maps.Clone(d.Annotations)
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	for pair := range slices.Chunk(annotations, 2) {
		d.Annotations[pair[0]] = pair[1]
	}
	return d
}

// named is with the name of a layout.
func named(d v1.Descriptor, name string) v1.Descriptor {
	return with(d, "org.opencontainers.image.ref.name", name)
}

// listed is a descriptor with a platform.
func listed(tb testing.TB, d v1.Descriptor, on string) v1.Descriptor {
	tb.Helper()
	p := parse(tb, on)
	d.Platform = &v1.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion}
	return d
}
