package imagefile_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

// pack is an archive on its way.
type pack struct {
	tb testing.TB
	b  bytes.Buffer
	w  *tar.Writer
}

func newPack(tb testing.TB) *pack {
	tb.Helper()
	p := &pack{tb: tb}
	p.w = tar.NewWriter(&p.b)
	return p
}

func (p *pack) add(h tar.Header, text string) *pack {
	p.tb.Helper()
	h.Size, h.Mode = int64(len(text)), 0o644
	must(p.tb, p.w.WriteHeader(&h))
	_, err := p.w.Write([]byte(text))
	must(p.tb, err)
	return p
}

func (p *pack) file(name, text string) *pack {
	p.tb.Helper()
	return p.add(tar.Header{Name: name, Typeflag: tar.TypeReg}, text)
}

func (p *pack) link(kind byte, name, to string) *pack {
	p.tb.Helper()
	return p.add(tar.Header{Name: name, Typeflag: kind, Linkname: to}, "")
}

// end writes the archive, and returns its path.
func (p *pack) end() string {
	p.tb.Helper()
	must(p.tb, p.w.Close())
	return p.save(p.b.Bytes())
}

func (p *pack) save(raw []byte) string {
	p.tb.Helper()
	file := filepath.Join(p.tb.TempDir(), "app.tar")
	must(p.tb, os.WriteFile(file, raw, 0o644))
	return file
}

// contents returns the configuration of an image and its layers, decompressed.
func contents(tb testing.TB, img v1.Image) (config string, plain []string) {
	tb.Helper()
	raw, err := img.RawConfigFile()
	must(tb, err)
	layers, err := img.Layers()
	must(tb, err)
	for _, l := range layers {
		r, err := l.Uncompressed()
		must(tb, err)
		text, err := io.ReadAll(r)
		must(tb, err)
		plain = append(plain, string(text))
	}
	return string(raw), plain
}

func hexOf(text string) string {
	h, _, _ := v1.SHA256(strings.NewReader(text))
	return h.Hex
}

type entry struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func manifestJSON(tb testing.TB, list ...entry) string {
	tb.Helper()
	raw, err := json.Marshal(list)
	must(tb, err)
	return string(raw)
}

// three is an image with three layers, of which the last is the first again.
func three(tb testing.TB, on string) v1.Image {
	tb.Helper()
	p := parse(tb, on)
	a, b := indextest.Files{"etc/", "etc/a=" + strings.Repeat("a", 1000)}, indextest.Files{"b=b"}
	return indextest.Filled(tb, v1.ConfigFile{OS: p.OS, Architecture: p.Architecture, Author: on}, a, b, a)
}

// docker113 is what docker save of 1.10 to 24 writes: layers under the identities of version 1, of
// which equal ones are links.
func docker113(tb testing.TB, img v1.Image) *pack {
	tb.Helper()
	config, layers := contents(tb, img)
	p := newPack(tb)
	var names []string
	for n, text := range layers {
		id := hexOf(fmt.Sprint("id of layer ", n))
		names = append(names, id+"/layer.tar")
		p.add(tar.Header{Name: id + "/", Typeflag: tar.TypeDir}, "").file(id+"/VERSION", "1.0").file(id+"/json", "{}")
		if at := slices.Index(layers, text); at < n {
			p.link(tar.TypeSymlink, id+"/layer.tar", "../"+names[at])
			continue
		}
		p.file(id+"/layer.tar", text)
	}
	return p.file(hexOf(config)+".json", config).file("repositories", "{}").
		file("manifest.json", manifestJSON(tb, entry{hexOf(config) + ".json", []string{"app:1"}, names}))
}

// docker25 is what docker save of 25 and later writes without the containerd store: a layout whose
// layers are not compressed, the older form's json of each layer, and repositories.
func docker25(tb testing.TB, img v1.Image) *pack {
	tb.Helper()
	p := newPack(tb)
	must(tb, p.w.AddFS(os.DirFS(docker25Dir(tb, img))))
	return p
}

// docker25Dir is an archive of docker25 before it is packed.
func docker25Dir(tb testing.TB, img v1.Image) string {
	tb.Helper()
	config, layers := contents(tb, img)
	b := build(tb)
	m := v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: b.blob(config, types.OCIConfigJSON),
	}
	e := entry{"blobs/sha256/" + hexOf(config), []string{"app:1"}, nil}
	sources := map[string]v1.Descriptor{}
	for n, text := range layers {
		d := b.blob(text, types.OCIUncompressedLayer)
		m.Layers = append(m.Layers, d)
		e.Layers = append(e.Layers, "blobs/sha256/"+hexOf(text))
		sources[d.Digest.String()] = d
		b.blob(fmt.Sprintf(`{"id":"layer %d","created":"1970-01-01T00:00:00Z","os":"linux"}`, n), types.DockerConfigJSON)
	}
	b.list(with(b.json(m, m.MediaType), containerdNames("app", "1")...))
	b.write("repositories", `{"app":{"1":"`+hexOf(layers[len(layers)-1])+`"}}`)
	raw, err := json.Marshal([]any{struct {
		entry

		LayerSources map[string]v1.Descriptor
	}{e, sources}})
	must(tb, err)
	b.write("manifest.json", string(raw))
	return b.dir
}

// crane is what go-containerregistry writes, and so crane, ko and kaniko.
func crane(tb testing.TB, img v1.Image) string {
	tb.Helper()
	tag, err := name.NewTag("app:1")
	must(tb, err)
	file := filepath.Join(tb.TempDir(), "app.tar")
	must(tb, tarball.WriteToFile(file, tag, img))
	return file
}

// again takes the image a second time and returns the names of the files that were read.
func again(t *testing.T, text, on string, st *store.Store) (taken struct{ v1.Descriptor }, read []string) {
	t.Helper()
	f, err := open(t, text, st)
	must(t, err)
	i, err := f.Image(parse(t, on))
	must(t, err)
	opened := f.Count()
	second, err := i.Put(context.Background(), st)
	must(t, err)
	taken.Descriptor = second.Manifest
	return taken, opened()
}

// TestSaved takes an image from every form of docker save. Its files are those of the image.
func TestSaved(t *testing.T) {
	img := three(t, "linux/amd64")
	config, layers := contents(t, img)
	containerd := archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": img})
	must(t, os.WriteFile(filepath.Join(containerd, "manifest.json"),
		archivetest.DockerList(t, map[string]v1.Image{"docker.io/library/app:1": img}), 0o644))
	plain := docker113(t, img).end()
	forms := map[string]string{
		"1.13": plain, "1.13 compressed": gzipped(t, plain), "25": docker25(t, img).end(),
		"containerd": archivetest.Pack(t, containerd, "tar"), "crane": crane(t, img),
	}
	digests := map[string]v1.Hash{}
	for form, file := range forms {
		t.Run(form, func(t *testing.T) {
			for _, which := range []string{"", " app:1", " docker.io/library/app:1", " index.docker.io/library/app:1"} {
				st := storetest.Open(t)
				taken, err := take(t, "docker-archive:"+file+which, "linux/amd64", st)
				must(t, err)
				tree := complete(t, st, taken)
				got, err := st.Image(taken.Manifest.Digest)
				must(t, err)
				c, l := contents(t, got)
				if c != config || !slices.Equal(l, layers) {
					t.Errorf("the image has the configuration %s and layers of %d, want %s", c, len(l), config)
				}
				for _, d := range tree.Layers {
					if d.MediaType != types.OCILayer && form != "containerd" {
						t.Errorf("a layer has the type %s", d.MediaType)
					}
				}
				digests[form] = taken.Manifest.Digest
				second, read := again(t, "docker-archive:"+file+which, "linux/amd64", st)
				if second.Digest != taken.Manifest.Digest || len(read) != 0 {
					t.Errorf("the second time took %s, not %s, and read %q", second.Digest, taken.Manifest.Digest, read)
				}
			}
		})
	}
	h, err := img.Digest()
	must(t, err)
	if digests["containerd"] != h {
		t.Errorf("that of containerd is %s, want %s", digests["containerd"], h)
	}
	if digests["1.13"] != digests["25"] || digests["1.13"] != digests["1.13 compressed"] {
		t.Errorf("equal images have the digests %v", digests)
	}
}

// TestSavedStores: what a store has from another archive decides no bytes.
func TestSavedStores(t *testing.T) {
	img := three(t, "linux/amd64")
	st := storetest.Open(t)
	one, err := take(t, "docker-archive:"+docker113(t, img).end(), "linux/amd64", st)
	must(t, err)
	two, err := take(t, "docker-archive:"+crane(t, img), "linux/amd64", st)
	must(t, err)
	fresh, err := take(t, "docker-archive:"+crane(t, img), "linux/amd64", storetest.Open(t))
	must(t, err)
	if two.Manifest.Digest != fresh.Manifest.Digest || one.Manifest.Digest == two.Manifest.Digest {
		t.Errorf("the manifests are %s and %s, in a fresh store %s", one.Manifest.Digest, two.Manifest.Digest,
			fresh.Manifest.Digest)
	}
	layers, err := img.Layers()
	must(t, err)
	for n, l := range layers {
		if h, err := l.Digest(); err != nil || two.Layers[n].Digest != h {
			t.Errorf("layer %d is %s, want %s: %v", n, two.Layers[n].Digest, h, err)
		}
	}
	must(t, os.Remove(st.Path(one.Layers[0].Digest)))
	third, err := take(t, "docker-archive:"+docker113(t, img).end(), "linux/amd64", st)
	must(t, err)
	complete(t, st, third)
	if third.Manifest.Digest != one.Manifest.Digest {
		t.Errorf("after a layer was lost, the manifest is %s, not %s", third.Manifest.Digest, one.Manifest.Digest)
	}
}

func gzipped(tb testing.TB, file string) string {
	tb.Helper()
	raw, err := os.ReadFile(file)
	must(tb, err)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(raw)
	must(tb, err)
	must(tb, z.Close())
	must(tb, os.WriteFile(file+".gz", b.Bytes(), 0o644))
	return file + ".gz"
}
