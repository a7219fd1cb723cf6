package imagefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// layer returns the only layer of an image.
func layer(b *builder, img v1.Image) v1.Hash { return archivetest.Layers(b.tb, img)[0] }

// oneImage writes an image for linux/amd64 as the only one.
func oneImage(b *builder) v1.Image {
	img := indextest.Image(b.tb, "linux/amd64", types.OCIManifestSchema1)
	b.list(b.image(img))
	return img
}

// TestDamage: a layout that is not what it should be is an error, and no image of it gets into a
// store.
func TestDamage(t *testing.T) {
	extent.Plain(t)
	for name, test := range map[string]struct {
		want  string
		build func(b *builder)
	}{
		"no oci-layout": {"it has no file oci-layout", func(b *builder) {
			oneImage(b)
			must(b.tb, os.Remove(filepath.Join(b.dir, "oci-layout")))
		}},
		"another version": {`the layout has version "2.0.0\n"`, func(b *builder) {
			oneImage(b)
			b.write("oci-layout", `{"imageLayoutVersion":"2.0.0\n"}`)
		}},
		"no index.json":          {`"index.json": `, func(*builder) {}},
		"index.json is not JSON": {"reading index.json: ", func(b *builder) { b.write("index.json", "{\n}x") }},
		"index.json of another schema": {"its schemaVersion is 3, not 2", func(b *builder) {
			b.write("index.json", `{"schemaVersion":3,"manifests":[]}`)
		}},
		"index.json has two readings": {"reading index.json: ", func(b *builder) {
			b.write("index.json", `{"schemaVersion":2,"manifests":[],"manifests":[]}`)
		}},
		"index.json is large": {`"index.json" has 4194305 bytes`, func(b *builder) {
			b.write("index.json", strings.Repeat(" ", 4<<20+1))
		}},
		"no digest": {`manifest has the digest ":"`, func(b *builder) {
			b.write("index.json", `{"schemaVersion":2,"manifests":[{}]}`)
		}},
		"a digest of SHA-512": {"which is not of sha256", func(b *builder) {
			b.write("index.json", `{"schemaVersion":2,"manifests":[{"digest":"sha512:`+strings.Repeat("0", 128)+`"}]}`)
		}},
		"manifest of another digest": {"is damaged: its bytes have the digest sha256:", func(b *builder) {
			d := b.on("linux/amd64")
			must(b.tb, archivetest.Flip(b.list(d).path(d.Digest)))
		}},
		"manifest of another size": {"and is listed with 3: ", func(b *builder) {
			d := b.on("linux/amd64")
			d.Size = 3
			b.list(d)
		}},
		"one manifest of two sizes": {"and is listed with 3: ", func(b *builder) {
			d := b.on("linux/amd64")
			b.list(d)
			d.Size = 3
			b.list(d)
		}},
		"large manifest": {"it may have at most 4194304", func(b *builder) {
			d := b.blob(strings.Repeat(" ", 4<<20+1), types.OCIManifestSchema1)
			b.list(d)
		}},
		"deep": {"is nested in more than 4 others", func(b *builder) {
			b.list(b.index(b.index(b.index(b.index(b.index(b.on("linux/amd64")))))))
		}},
		"schema 1": {"has Docker's schema 1", func(b *builder) {
			b.list(b.on("linux/amd64"), b.blob(`{"schemaVersion":1}`, types.DockerManifestSchema1Signed))
		}},
		"schema 1 without a type": {"neither an image manifest nor an index", func(b *builder) {
			b.list(b.blob(`{"schemaVersion":1}`, ""))
		}},
		"configuration of another digest": {"is damaged: its bytes have the digest sha256:", func(b *builder) {
			h, err := oneImage(b).ConfigName()
			must(b.tb, err)
			must(b.tb, archivetest.Flip(b.path(h)))
		}},
		"layer of another digest": {"is damaged: its bytes have the digest sha256:", func(b *builder) {
			must(b.tb, archivetest.Flip(b.path(layer(b, oneImage(b)))))
		}},
		"layer of another size": {"bytes, and is listed with ", func(b *builder) {
			must(b.tb, os.Truncate(b.path(layer(b, oneImage(b))), 3))
		}},
		"layer that is not there": {"is listed, and not there", func(b *builder) { b.remove(layer(b, oneImage(b))) }},
		"layer of two sizes": {"is listed with ", func(b *builder) {
			same := indextest.Files{"app=text"}
			img := indextest.Filled(b.tb, v1.ConfigFile{OS: "linux", Architecture: "amd64"}, same, same)
			b.image(img)
			m, err := img.Manifest()
			must(b.tb, err)
			m.Layers[1].Size++
			b.list(b.json(m, m.MediaType))
		}},
		"layer of another type": {`has the type "text/plain\n", which is not one of layers`, func(b *builder) {
			b.list(b.changed(func(m *v1.Manifest) { m.Layers[0].MediaType = "text/plain\n" }))
		}},
		"more layers than diff_ids": {"has 2 layers, and its configuration lists 1 in rootfs.diff_ids", func(b *builder) {
			b.list(b.changed(func(m *v1.Manifest) { m.Layers = append(m.Layers, m.Layers[0]) }))
		}},
		"a layer by a link out": {"a link that leads out of the directory", func(b *builder) {
			path := b.path(layer(b, oneImage(b)))
			out := filepath.Join(b.tb.TempDir(), "layer")
			must(b.tb, os.Rename(path, out))
			must(b.tb, os.Symlink(out, path))
		}},
		"index.json by a link out": {"a link that leads out of the directory", func(b *builder) {
			oneImage(b)
			path := filepath.Join(b.dir, "index.json")
			must(b.tb, os.Rename(path, path+".out"))
			must(b.tb, os.Symlink("../app/index.json.out", path))
		}},
		"a blob is a directory": {"it is a directory", func(b *builder) {
			path := b.path(layer(b, oneImage(b)))
			must(b.tb, os.Remove(path))
			must(b.tb, os.Mkdir(path, 0o755))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			test.build(b)
			st := storetest.Open(t)
			_, err := take(t, "oci:"+b.dir, "linux/amd64", st)
			refused(t, err, test.want, b.dir)
			if n := manifests(t, st); n != 0 {
				t.Errorf("the store has %d manifests", n)
			}
		})
	}
}

// TestLinkInside: a layout whose blobs are links to one another's files is read.
func TestLinkInside(t *testing.T) {
	b := build(t)
	path := b.path(layer(b, oneImage(b)))
	must(t, os.Rename(path, filepath.Join(b.dir, "kept")))
	must(t, os.Symlink("../../kept", path))
	_, err := take(t, "oci:"+b.dir, "linux/amd64", storetest.Open(t))
	must(t, err)
}

// TestWrongPlace: what is not there, or not of the kind that the transport names.
func TestWrongPlace(t *testing.T) {
	b := build(t)
	oneImage(b)
	file := archivetest.Pack(t, b.dir, "tar")
	for text, want := range map[string]string{
		"oci:" + b.dir + "/none":          "it is not there: build the image first",
		"oci:" + file:                     "not a directory: oci: names a directory",
		"oci-archive:" + file + ".none":   "it is not there: build the image first",
		"oci-archive:" + b.dir:            "is a directory: oci-archive: and docker-archive: name archives",
		"docker-archive:" + file:          "it has no manifest.json",
		"oci-archive:" + b.dir + "/blobs": "is a directory",
		"docker:" + file:                  `unknown transport "docker"`,
	} {
		_, err := open(t, text, storetest.Open(t))
		refused(t, err, want, filepath.Dir(b.dir))
	}
}
