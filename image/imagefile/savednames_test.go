package imagefile_test

import (
	"archive/tar"
	"bytes"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
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
	b.list(with(b.index(d, b.attested(d, "{}")), containerdNames("app", "1")...))
	b.write("manifest.json", string(archivetest.DockerList(t, map[string]v1.Image{"docker.io/library/app:1": img})))
	st := storetest.Open(t)
	taken, err := take(t, "docker-archive:"+archivetest.Pack(t, b.dir, "tar"), "linux/amd64", st)
	must(t, err)
	complete(t, st, taken)
	if taken.Manifest.Digest != d.Digest || len(taken.Referrers) != 1 {
		t.Errorf("took %+v, want %s", taken, d.Digest)
	}
}

// containerdNames are the annotations of an image of the containerd store in index.json.
func containerdNames(repository, tag string) []string {
	return []string{
		"io.containerd.image.name", "docker.io/library/" + repository + ":" + tag, "org.opencontainers.image.ref.name", tag,
	}
}

// TestContainerdPlatforms: of an index for several platforms, the containerd store lists the image
// for the daemon's platform in manifest.json, and the whole index in index.json. A name means all
// images of its index, and no image of another.
func TestContainerdPlatforms(t *testing.T) {
	const windows = "windows/amd64:10.0.20348.3091"
	b := build(t)
	img := indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)
	linux, arm, win, lost := b.image(img), b.on("linux/arm64"), b.on(windows), b.on("linux/s390x")
	other := b.on("linux/arm64")
	b.list(with(b.index(linux, arm, win, listed(t, lost, "linux/s390x"), b.attested(win, "{}")), containerdNames("app", "1")...),
		with(b.index(linux, other), containerdNames("other", "1")...))
	b.remove(lost.Digest)
	b.write("manifest.json", string(archivetest.DockerList(t, map[string]v1.Image{"docker.io/library/app:1": img})))
	file := "docker-archive:" + archivetest.Pack(t, b.dir, "tar")
	for _, which := range []string{" app:1", " docker.io/library/app:1"} {
		for on, want := range map[string]v1.Descriptor{"linux/amd64": linux, "linux/arm64": arm, windows: win} {
			st := storetest.Open(t)
			taken, err := take(t, file+which, on, st)
			must(t, err)
			complete(t, st, taken)
			if taken.Manifest.Digest != want.Digest || (len(taken.Referrers) == 1) != (on == windows) {
				t.Errorf("took %+v for %s, want %s", taken, on, want.Digest)
			}
		}
		_, err := take(t, file+which, "linux/s390x", storetest.Open(t))
		refused(t, err, "docker-archive:app lists "+lost.Digest.String()+" for linux/s390x, and its manifest", file)
	}
	// That of the second index is in index.json alone.
	for on, want := range map[string]v1.Descriptor{"linux/amd64": linux, "linux/arm64": other} {
		taken, err := take(t, file+" other:1", on, storetest.Open(t))
		must(t, err)
		if taken.Manifest.Digest != want.Digest {
			t.Errorf("took %+v for %s, want %s", taken, on, want.Digest)
		}
	}
	_, err := take(t, file+" none:1", "linux/amd64", storetest.Open(t))
	refused(t, err, `manifest.json lists no image "none:1": use "app:1"`, file)
}

// TestContainerdPart: docker save with --platform twice, and ctr images export, list attestations
// that they do not write. The remedy is a form that takes a digest.
func TestContainerdPart(t *testing.T) {
	b := build(t)
	img := indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)
	d := b.image(img)
	gone := b.attested(d, "{}")
	b.list(with(b.index(d, gone), containerdNames("app", "1")...))
	b.remove(gone.Digest)
	b.write("manifest.json", string(archivetest.DockerList(t, map[string]v1.Image{"docker.io/library/app:1": img})))
	file := archivetest.Pack(t, b.dir, "tar")
	for _, form := range []string{"oci-archive:", "docker-archive:"} {
		_, err := take(t, form+file, "linux/amd64", storetest.Open(t))
		refused(t, err, "name oci-archive:…@"+d.Digest.String(), file)
	}
	st := storetest.Open(t)
	taken, err := take(t, "oci-archive:"+file+" @"+d.Digest.String(), "linux/amd64", st)
	must(t, err)
	complete(t, st, taken)
	if taken.Manifest.Digest != d.Digest || len(taken.Referrers) != 0 {
		t.Errorf("took %+v, want %s alone", taken, d.Digest)
	}
}
