package imagefile_test

import (
	"archive/tar"
	"bytes"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestSavedNames: a name chooses among images, and so does the platform.
func TestSavedNames(t *testing.T) {
	p := newPack(t)
	var list []entry
	for _, on := range []string{"linux/amd64", "linux/arm64"} {
		config, layers := contents(t, three(t, on))
		list = append(list, entry{on + ".json", []string{"app:1"}, []string{"a.tar", `b\b.tar`, "a.tar"}})
		p.file(on+".json", config)
		if on == "linux/amd64" {
			p.file("a.tar", layers[0]).file("b/b.tar", layers[1])
		}
	}
	must(t, p.w.Flush())
	both := bytes.Clone(p.b.Bytes())
	file := p.file("manifest.json", manifestJSON(t, list...)).end()
	for _, which := range []string{"", " app:1"} {
		for _, on := range []string{"linux/amd64", "linux/arm64"} {
			st := storetest.Open(t)
			taken, err := take(t, "docker-archive:"+file+which, on, st)
			must(t, err)
			complete(t, st, taken)
			if taken.Layers[0].Digest != taken.Layers[2].Digest {
				t.Errorf("the layers are %v", taken.Layers)
			}
		}
	}
	_, err := take(t, "docker-archive:"+file, "linux/s390x", storetest.Open(t))
	refused(t, err, "docker-archive:app has no image for linux/s390x, only for linux/amd64, linux/arm64", file)

	q := newPack(t)
	list[1].RepoTags = []string{"app:2"}
	q.b.Write(both)
	q.w = tar.NewWriter(&q.b)
	file = q.file("manifest.json", manifestJSON(t, list...)).end()
	_, err = take(t, "docker-archive:"+file, "linux/amd64", storetest.Open(t))
	refused(t, err, `manifest.json lists several images: add the name of one, "app:1", "app:2"`, file)
	_, err = take(t, "docker-archive:"+file+" app:2", "linux/arm64", storetest.Open(t))
	must(t, err)
	_, err = take(t, "docker-archive:"+file+" app:2", "linux/amd64", storetest.Open(t))
	refused(t, err, "docker-archive:app is an image for linux/arm64, not for linux/amd64", file)
}

// TestContainerdEvidence: an archive of the containerd store has evidence as a layout has.
func TestContainerdEvidence(t *testing.T) {
	b := build(t)
	img := indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)
	d := b.image(img)
	b.list(with(b.index(d, b.attested(d, "{}")), "io.containerd.image.name", "docker.io/library/app:1"))
	b.write("manifest.json", string(indextest.DockerList(t, map[string]v1.Image{"docker.io/library/app:1": img})))
	st := storetest.Open(t)
	taken, err := take(t, "docker-archive:"+indextest.Pack(t, b.dir, "tar"), "linux/amd64", st)
	must(t, err)
	complete(t, st, taken)
	if taken.Manifest.Digest != d.Digest || len(taken.Referrers) != 1 {
		t.Errorf("took %+v, want %s", taken, d.Digest)
	}
}
