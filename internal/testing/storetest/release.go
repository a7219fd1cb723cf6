// Package storetest makes small releases in a store, for the tests of the stages that read one.
package storetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Created is the time of every release of this package.
var Created = time.Unix(1700000000, 0).UTC()

// Open opens a store that is gone when the test has ended.
func Open(tb testing.TB) *store.Store {
	tb.Helper()
	st, err := store.Open(filepath.Join(tb.TempDir(), ".slipway"))
	must(tb, err)
	return st
}

// Release fills st with a product of three images and returns its lock as build does, without
// repositories: "agent", an index over linux/amd64, linux/arm64 and windows/amd64 for each LTSC
// release (one Windows layer on three bases); "server", an index over linux/amd64 alone;
// "lifecycle", a single manifest with a Linux and a Windows layer. Layers have size
// random-looking bytes each.
func Release(tb testing.TB, st *store.Store, size int) *lock.Lock {
	tb.Helper()
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Release: lock.Release{
		Name: "demo", Version: "1.2.3",
		Created: Created, Sources: []lock.Source{{Name: "demo", Revision: "abc"}},
	}}
	windows := Layer(tb, "Files/agent.exe", "MZ windows", size)
	var agent []platform.Platform
	for _, s := range []string{
		"linux/amd64", "linux/arm64", "windows/amd64:10.0.26100.1", "windows/amd64:10.0.20348.1",
		"windows/amd64:10.0.17763.1",
	} {
		agent = append(agent, parse(tb, s))
	}
	var children []Child
	for _, p := range agent {
		layers := []v1.Layer{Layer(tb, "ko-app/agent", p.String(), size)}
		if p.OS == platform.Windows {
			layers = []v1.Layer{Layer(tb, "Files/base", p.OSVersion, size), windows}
		}
		children = append(children, Child{Platform: p, Layers: layers})
	}
	l.Images = append(l.Images,
		Index(tb, st, "agent", children...),
		Index(tb, st, "server",
			Child{Platform: agent[0], Layers: []v1.Layer{Layer(tb, "ko-app/server", "server", size)}}))
	single := Index(tb, st, "lifecycle",
		Child{Platform: agent[0], Layers: []v1.Layer{Layer(tb, "cnb/lifecycle/lifecycle", "linux", size), windows}})
	single.Kind = "lifecycle"
	single.MediaType, single.Digest, single.Size = single.Children[0].MediaType, single.Children[0].Digest,
		single.Children[0].Size
	single.Children[0].ExtraOS = []string{platform.Linux, platform.Windows}
	l.Images = append(l.Images, single)
	return l
}

// Child is one manifest of an index that a test makes.
type Child struct {
	Platform platform.Platform
	Layers   []v1.Layer
}

// Index writes an index of OCI images into st and returns it as a lock has it.
func Index(tb testing.TB, st *store.Store, name string, children ...Child) lock.Image {
	tb.Helper()
	img := lock.Image{Name: name, Kind: "go", MediaType: types.OCIImageIndex, Tags: []string{"1.2.3"}}
	m := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, c := range children {
		i := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
		i, err := mutate.AppendLayers(i, c.Layers...)
		must(tb, err)
		cf, err := i.ConfigFile()
		must(tb, err)
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture, cf.OSVersion, cf.Variant = c.Platform.OS, c.Platform.Architecture, c.Platform.OSVersion,
			c.Platform.Variant
		if p := c.Platform.V1(); p != nil {
			cf.OSFeatures = p.OSFeatures
		}
		cf.Config.Entrypoint = []string{"/" + name}
		i, err = mutate.ConfigFile(i, cf)
		must(tb, err)
		d := Put(tb, st, i)
		d.Platform = c.Platform.V1()
		m.Manifests = append(m.Manifests, d)
		config, err := i.ConfigName()
		must(tb, err)
		lc := lock.Child{
			Platform: c.Platform, OSVersion: c.Platform.OSVersion, MediaType: d.MediaType,
			Digest: d.Digest, Size: d.Size, Config: config,
		}
		for _, l := range c.Layers {
			n, err := l.Size()
			must(tb, err)
			lc.LayerBytes += n
		}
		img.Children = append(img.Children, lc)
	}
	raw, err := json.Marshal(m)
	must(tb, err)
	img.Digest, err = st.PutBytes(raw)
	must(tb, err)
	img.Size = int64(len(raw))
	return img
}

// Put writes an image's layers, configuration and manifest into st.
func Put(tb testing.TB, st *store.Store, i v1.Image) v1.Descriptor {
	tb.Helper()
	layers, err := i.Layers()
	must(tb, err)
	for _, l := range layers {
		h, err := l.Digest()
		must(tb, err)
		r, err := l.Compressed()
		must(tb, err)
		must(tb, st.Put(h, r))
		must(tb, r.Close())
	}
	config, err := i.RawConfigFile()
	must(tb, err)
	_, err = st.PutBytes(config)
	must(tb, err)
	raw, err := i.RawManifest()
	must(tb, err)
	h, err := st.PutBytes(raw)
	must(tb, err)
	mt, err := i.MediaType()
	must(tb, err)
	return v1.Descriptor{MediaType: mt, Digest: h, Size: int64(len(raw))}
}

// Layer returns an OCI gzip layer with one file, whose size bytes follow from its seed and hardly
// compress.
func Layer(tb testing.TB, path, seed string, size int) v1.Layer {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	must(tb, t.WriteHeader(&tar.Header{Name: path, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(size)}))
	h := uint64(14695981039346656037)
	for _, c := range []byte(seed) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	body := make([]byte, size)
	for i := range body {
		h ^= h << 13
		h ^= h >> 7
		h ^= h << 17
		body[i] = byte(h)
	}
	_, err := t.Write(body)
	must(tb, err)
	must(tb, t.Close())
	must(tb, z.Close())
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	},
		tarball.WithMediaType(types.OCILayer))
	must(tb, err)
	return l
}

func parse(tb testing.TB, s string) platform.Platform {
	tb.Helper()
	p, err := platform.Parse(s)
	must(tb, err)
	return p
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(fmt.Errorf("making a release: %w", err))
	}
}
