package registries

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// push pushes an index, and returns it.
func (b *bed) push(tag string, entries ...string) v1.ImageIndex {
	b.Helper()
	i := indextest.Index(b, entries...)
	must(b, remote.WriteIndex(b.repo.Tag(tag), i))
	return i
}

// image pushes an index over an image under the tag.
func (b *bed) image(img v1.Image) {
	b.Helper()
	must(b, remote.WriteIndex(b.ref(), indexOver(b, img)))
}

// indexOver lists images under their own platforms.
func indexOver(b *bed, images ...v1.Image) v1.ImageIndex {
	b.Helper()
	i := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, img := range images {
		cf, err := img.ConfigFile()
		must(b, err)
		img = mutate.ConfigMediaType(mutate.MediaType(img, types.OCIManifestSchema1), types.OCIConfigJSON)
		i = mutate.AppendManifests(i, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: cf.Platform()}})
	}
	return i
}

// manifests are those of an index.
func manifests(b *bed, i v1.ImageIndex) []v1.Descriptor {
	b.Helper()
	m, err := i.IndexManifest()
	must(b, err)
	return m.Manifests
}

// remove deletes a manifest of the repository by its digest.
func (b *bed) remove(h v1.Hash) {
	b.Helper()
	must(b, remote.Delete(b.repo.Digest(h.String())))
}

// inside seeds a fault in the layers of an image, which are read.
func inside(c v1.ConfigFile, layers ...indextest.Files) func(b *bed) {
	return func(b *bed) {
		b.deep = true
		b.image(indextest.Filled(b, c, layers...))
	}
}

// configured pushes an image with a configuration and a small layer.
func configured(c v1.ConfigFile) func(b *bed) {
	return func(b *bed) { b.image(indextest.Filled(b, c, indextest.Files{"readme=It is one file."})) }
}

// app is the name that images in archives have.
const app = "docker.io/library/app:1"

// packed writes images as an archive, or as the directory of one, after it has changed that.
func packed(form, called string, images map[string]mutate.Appendable, change func(b *bed, dir string)) func(b *bed) {
	return func(b *bed) {
		dir := archivetest.Layout(b, images)
		if change != nil {
			change(b, dir)
		}
		if b.arg = dir; form == "" {
			return
		}
		file := archivetest.Pack(b, dir, form)
		b.arg = filepath.Join(filepath.Dir(file), called+".tar."+form)
		must(b, os.Rename(file, b.arg))
	}
}

// layered archives one image of two layers, changed.
func layered(form string, change func(b *bed, dir string, img v1.Image)) func(b *bed) {
	return func(b *bed) {
		img := indextest.Filled(b, linux(), indextest.Files{"one=1"}, indextest.Files{"two=2"})
		packed(form, "app", map[string]mutate.Appendable{app: img}, func(b *bed, dir string) { change(b, dir, img) })(b)
	}
}

// listing writes manifest.json beside index.json.
func listing(b *bed, dir string, images map[string]v1.Image) {
	b.Helper()
	must(b, os.WriteFile(filepath.Join(dir, "manifest.json"), archivetest.DockerList(b, images), 0o600))
}

// signed pushes an index and signs it, in the form of cosign 2.
func signed(b *bed, about func(top v1.Hash) v1.Hash) {
	b.Helper()
	i := b.push("1.0.0", "linux/amd64", "linux/arm64")
	top := indextest.Describe(b, i)
	registrytest.Sign(b.T, b.repo, ".sig", top, about(top.Digest))
}

// same is a digest itself, and another is that of nothing.
func same(h v1.Hash) v1.Hash { return h }

func another(v1.Hash) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)} }

// unreadable pushes an index of an image whose configuration is none.
func unreadable(b *bed) {
	img := indextest.Image(b, "linux/amd64", types.OCIManifestSchema1)
	m, err := img.Manifest()
	must(b, err)
	text := static.NewLayer([]byte(`["no configuration"]`), types.OCIConfigJSON)
	must(b, remote.WriteLayer(b.repo, text))
	m = m.DeepCopy()
	m.Config.Size, err = text.Size()
	must(b, err)
	m.Config.Digest, err = text.Digest()
	must(b, err)
	layers, err := img.Layers()
	must(b, err)
	for _, l := range layers {
		must(b, remote.WriteLayer(b.repo, l))
	}
	raw, err := json.Marshal(m)
	must(b, err)
	child := document{raw, types.OCIManifestSchema1}
	h, size := child.hash(b)
	must(b, remote.Put(b.repo.Digest(h.String()), child))
	b.index(b.ref(), v1.Descriptor{
		MediaType: types.OCIManifestSchema1, Digest: h, Size: size,
		Platform: &v1.Platform{OS: "linux", Architecture: "amd64"},
	})
}

// index pushes an index of manifests that are there.
func (b *bed) index(tag name.Tag, list ...v1.Descriptor) {
	b.Helper()
	raw, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: list})
	must(b, err)
	must(b, remote.Put(tag, document{raw, types.OCIImageIndex}))
}

// document is a manifest or an index as it is pushed.
type document struct {
	raw  []byte
	kind types.MediaType
}

func (d document) RawManifest() ([]byte, error)        { return d.raw, nil }
func (d document) MediaType() (types.MediaType, error) { return d.kind, nil }

func (d document) hash(b *bed) (v1.Hash, int64) {
	b.Helper()
	h, size, err := v1.SHA256(strings.NewReader(string(d.raw)))
	must(b, err)
	return h, size
}

// written writes a file to be audited.
func (b *bed) written(called, text string) {
	b.Helper()
	b.arg = filepath.Join(b.TempDir(), called)
	must(b, os.WriteFile(b.arg, []byte(text), 0o600))
}

// pod is a DaemonSet for nodes of a system.
func pod(on string, image name.Tag) string {
	return `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: app}
spec:
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec:
      nodeSelector: {kubernetes.io/os: ` + on + `}
      containers:
      - {name: app, image: ` + image.String() + `}
`
}

// chart writes a chart with annotations that renders a pod.
func (b *bed) chart(annotations string) {
	b.Helper()
	b.arg = b.TempDir()
	must(b, os.Mkdir(filepath.Join(b.arg, "templates"), 0o700))
	for file, text := range map[string]string{
		"Chart.yaml":         "apiVersion: v2\nname: app\nversion: 1.0.0\n" + annotations,
		"values.yaml":        "os: linux\n",
		"templates/pod.yaml": pod("{{ .Values.os }}", b.ref()),
	} {
		must(b, os.WriteFile(filepath.Join(b.arg, file), []byte(text), 0o600))
	}
}
