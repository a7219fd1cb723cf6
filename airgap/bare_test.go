package airgap

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// mixed is a demo with images of others that have several manifests for one kind of node:
//
//	sidecar  older Windows builds only
//	base     386 beside amd64, 32-bit arm beside arm64; amd64 a second time, by the same configuration and another layer; no platform at all
//	twin     an index of one manifest, which stands in that of agent, too: the one for 20348
func mixed(t *testing.T) (*store.Store, *lock.Lock) {
	t.Helper()
	st, l := demo(t, 100)
	layer := storetest.Layer(t, "base", "amd64", 100)
	r, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	tar, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var children []storetest.Child
	for _, s := range []string{"linux/386", "linux/amd64", "linux/amd64", "linux/arm/v7", "linux/arm64", "linux/s390x"} {
		c := storetest.Child{Platform: parse(t, s), Layers: []v1.Layer{storetest.Layer(t, "base", s, 100)}}
		if s == "linux/amd64" {
			c.Layers[0], layer = layer, static.NewLayer(tar, types.OCIUncompressedLayer)
		}
		children = append(children, c)
	}
	nowhere := storetest.Child{Layers: []v1.Layer{storetest.Layer(t, "data", "data", 100)}}
	base := changed(t, st, storetest.Index(t, st, "base", append(children, nowhere)...), func(m *v1.IndexManifest) {
		m.Manifests[len(m.Manifests)-1].Platform = nil
	})
	if a, b := base.Children[1], base.Children[2]; a.Config != b.Config || a.Digest == b.Digest {
		t.Fatalf("the manifests for linux/amd64 are %+v and %+v", a, b)
	}
	twin := changed(t, st, l.Images[0], func(m *v1.IndexManifest) { m.Manifests = m.Manifests[3:4] })
	// The manifests of the agent, the oldest for Windows without a version: of any host's, as far
	// as anybody can tell.
	blank := changed(t, st, l.Images[0], func(m *v1.IndexManifest) { m.Manifests[len(m.Manifests)-1].Platform.OSVersion = "" })
	l.ThirdParty = append(l.ThirdParty, sidecar(t, st),
		lock.ThirdParty{Reference: "registry.example/blank:1", MediaType: blank.MediaType, Digest: blank.Digest, Size: blank.Size},
		lock.ThirdParty{Reference: "registry.example/base:1", MediaType: base.MediaType, Digest: base.Digest, Size: base.Size},
		lock.ThirdParty{Reference: "registry.example/twin:1", MediaType: twin.MediaType, Digest: twin.Digest, Size: twin.Size})
	return st, l
}

// changed puts a changed index into the store.
func changed(t *testing.T, st *store.Store, i lock.Image, change func(*v1.IndexManifest)) lock.Image {
	t.Helper()
	var m v1.IndexManifest
	if err := json.Unmarshal(read(t, st, i.Digest), &m); err != nil {
		t.Fatal(err)
	}
	change(&m)
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if i.Digest, err = st.PutBytes(raw); err != nil {
		t.Fatal(err)
	}
	i.Size = int64(len(raw))
	return i
}

// TestBare: which manifests of which images a bundle has bare, and that they are all that
// containerd reads on a node of its platform.
func TestBare(t *testing.T) {
	t.Parallel()
	st, l := mixed(t)
	want := map[string]map[string]string{
		"linux/amd64":            {"base": "linux/386 linux/amd64 -"},
		"linux/arm64":            {"base": "linux/arm/v7 -"},
		"windows/amd64:ltsc2019": {},
		"windows/amd64:ltsc2022": {"agent": "windows/amd64:10.0.17763.1", "blank": "windows/amd64"},
		"windows/amd64:ltsc2025": {"agent": "windows/amd64:10.0.20348.1 windows/amd64:10.0.17763.1", "blank": "windows/amd64:10.0.20348.1 windows/amd64", "sidecar": "windows/amd64:10.0.20348.9"},
		"":                       {},
	}
	for _, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		b := opened(t, f.Path)
		c := b.Contents()
		if d := cmp.Diff(f.Images, c.Images); d != "" {
			t.Errorf("%s (-packed +inspected):\n%s", f.Path, d)
		}
		if r := verify(t, f.Path, VerifyOptions{}); len(r.Problems) > 0 {
			t.Errorf("%s: %v", f.Path, r.Problems)
		}
		if format := min(len(want[c.Platform.String()]), 1) + 1; c.Format != format {
			t.Errorf("%s has format %d, want %d", f.Path, c.Format, format)
		}
		got := map[string]string{}
		held := map[string]bool{}
		for _, e := range entries(t, f.Path) {
			held[e.name] = true
		}
		carried := map[v1.Hash]bool{}
		for _, i := range c.Images {
			for _, child := range i.Children {
				carried[child.Config] = true
				for _, l := range child.Layers {
					carried[l.Digest] = true
				}
			}
		}
		for n, d := range b.head.index.Manifests {
			bare := strings.Fields(d.Annotations[annotationBare])
			name := strings.Split(filepath.Base(d.Annotations[annotationImageName]), ":")[0]
			var index v1.IndexManifest
			if err := json.Unmarshal(b.head.blobs[d.Digest], &index); err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, child := range index.Manifests {
				if containerdReads(t, c.Platform, child.Platform) && !held[blobName(child.Digest)] {
					t.Errorf("%s: containerd reads %s of %s, which is not there", f.Path, child.Digest, name)
				}
				if !slices.Contains(bare, child.Digest.String()) {
					continue
				}
				said = append(said, system(child.Platform))
				if slices.ContainsFunc(c.Images[n].Children, func(o Child) bool { return o.Digest == child.Digest }) {
					t.Errorf("%s: %s of %s is bare and carried", f.Path, child.Digest, name)
				}
				for _, part := range parts(t, b.head.blobs[child.Digest]) {
					if held[blobName(part)] && !carried[part] {
						t.Errorf("%s: %s of %s is bare, and its %s is there", f.Path, child.Digest, name, part)
					}
				}
			}
			if len(said) != len(bare) {
				t.Errorf("%s: %s has %d bare manifests and names %d", f.Path, name, len(said), len(bare))
			}
			if len(said) > 0 {
				got[name] = strings.Join(said, " ")
			}
		}
		if d := cmp.Diff(want[c.Platform.String()], got); d != "" {
			t.Errorf("%s: bare manifests (-want +got):\n%s", f.Path, d)
		}

		// Packing again from the bundle alone, as apply and split do, gives the same documents
		// and blobs.
		p, again, err := b.reread()
		if err != nil {
			t.Fatal(err)
		}
		docker, oci, err := p.views(again)
		if e := entries(t, f.Path); err != nil || !bytes.Equal(docker, e[0].data) || !bytes.Equal(oci, e[2].data) || len(p.head) != len(b.head.blobs) || len(p.layers) != len(b.places) {
			t.Errorf("%s: packed again it is another: %v\n%s\n%s", f.Path, err, oci, e[2].data)
		}
	}
}

// containerdReads reports whether ctr images import of some version reads a manifest, on a node
// of a platform or told to import for it.
func containerdReads(t *testing.T, host platform.Platform, child *v1.Platform) bool {
	t.Helper()
	if host.IsZero() || child == nil {
		return true
	}
	h := specs.Platform{OS: host.OS, Architecture: host.Architecture, Variant: host.Variant, OSVersion: host.OSVersion}
	c := specs.Platform{OS: child.OS, Architecture: child.Architecture, Variant: child.Variant, OSVersion: child.OSVersion}
	return platforms.Only(h).Match(c) || platforms.OnlyStrict(h).Match(c)
}

func system(p *v1.Platform) string {
	if p == nil {
		return "-"
	}
	return platform.From(p).String()
}

// parts are the blobs that a manifest names.
func parts(t *testing.T, raw []byte) []v1.Hash {
	t.Helper()
	var m v1.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	all := []v1.Hash{m.Config.Digest}
	for _, l := range m.Layers {
		all = append(all, l.Digest)
	}
	return all
}
