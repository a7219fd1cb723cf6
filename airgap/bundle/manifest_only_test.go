package bundle_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/containerd/platforms"
	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/platform"
)

// TestManifestOnly checks which manifests a bundle has manifest-only: with those that it includes,
// they are all that containerd reads on a node of its platform.
func TestManifestOnly(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Mixed(t)
	want := map[string]map[string]string{
		"linux/amd64":            {"base": "linux/386 linux/amd64 -"},
		"linux/arm64":            {"base": "linux/arm/v7 -"},
		"windows/amd64:ltsc2019": {},
		"windows/amd64:ltsc2022": {"agent": "windows/amd64:10.0.17763.1", "blank": "windows/amd64"},
		"windows/amd64:ltsc2025": {
			"agent": "windows/amd64:10.0.20348.1 windows/amd64:10.0.17763.1",
			"blank": "windows/amd64:10.0.20348.1 windows/amd64", "sidecar": "windows/amd64:10.0.20348.9",
		},
		"": {},
	}
	for _, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		b := bundletest.Opened(t, f.Path)
		c := b.Contents()
		if d := cmp.Diff(f.Contents.Images, c.Images, bundletest.Trees); d != "" {
			t.Errorf("%s (-packed +inspected):\n%s", f.Path, d)
		}
		if r := bundletest.Verify(t, f.Path, bundle.VerifyOptions{}); len(r.Problems) > 0 {
			t.Errorf("%s: %v", f.Path, r.Problems)
		}
		got := map[string]string{}
		held := map[string]bool{}
		for _, e := range bundletest.Entries(t, f.Path) {
			held[e.Name] = true
		}
		included := map[v1.Hash]bool{}
		for _, i := range c.Images {
			for _, child := range i.Included() {
				included[child.Config.Digest] = true
				for _, l := range child.Layers {
					included[l.Digest] = true
				}
			}
		}
		for n, d := range b.Index().Manifests {
			only := strings.Fields(d.Annotations["dev.slipway.image.manifest-only"])
			name := strings.Split(filepath.Base(d.Annotations["io.containerd.image.name"]), ":")[0]
			var index v1.IndexManifest
			if err := json.Unmarshal(b.Metadata()[d.Digest], &index); err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, child := range index.Manifests {
				if containerdReads(t, c.Platform, child.Platform) && !held[bundletest.BlobName(child.Digest)] {
					t.Errorf("%s: containerd reads %s of %s, which is not there", f.Path, child.Digest, name)
				}
				if !slices.Contains(only, child.Digest.String()) {
					continue
				}
				said = append(said, system(child.Platform))
				if slices.ContainsFunc(c.Images[n].Included(), func(o bundle.Manifest) bool {
					return o.Desc.Digest == child.Digest
				}) {
					t.Errorf("%s: %s of %s is manifest-only and included", f.Path, child.Digest, name)
				}
				for _, part := range bundletest.Parts(t, b.Metadata()[child.Digest]) {
					if held[bundletest.BlobName(part)] && !included[part] {
						t.Errorf("%s: %s of %s is manifest-only, and its %s is there", f.Path, child.Digest, name, part)
					}
				}
			}
			if len(said) != len(only) {
				t.Errorf("%s: %s has %d manifest-only manifests and names %d", f.Path, name, len(said), len(only))
			}
			if len(said) > 0 {
				got[name] = strings.Join(said, " ")
			}
		}
		if d := cmp.Diff(want[c.Platform.String()], got); d != "" {
			t.Errorf("%s: manifest-only (-want +got):\n%s", f.Path, d)
		}

		// Packing again from the bundle alone, as apply and split do, gives the same documents
		// and blobs.
		l, err := bundle.NewLayout(c)
		if err != nil {
			t.Fatal(err)
		}
		docker, index, metadata := l.Documents()
		if e := bundletest.Entries(t, f.Path); !bytes.Equal(docker, e[0].Data) || !bytes.Equal(index, e[2].Data) ||
			metadata != len(b.Metadata()) || len(l.Layers()) != len(b.LayerOrder()) {
			t.Errorf("%s: packed again it is another:\n%s\n%s", f.Path, index, e[2].Data)
		}
	}
}

// containerdReads reports whether ctr images import of some version reads a manifest, on a node
// of a platform or with the option to import for it.
func containerdReads(t *testing.T, host platform.Platform, child *v1.Platform) bool {
	t.Helper()
	if host.IsZero() || child == nil {
		return true
	}
	h := specs.Platform{OS: host.OS, Architecture: host.Architecture, Variant: host.Variant, OSVersion: host.OSVersion}
	c := specs.Platform{
		OS: child.OS, Architecture: child.Architecture, Variant: child.Variant,
		OSVersion: child.OSVersion,
	}
	return platforms.Only(h).Match(c) || platforms.OnlyStrict(h).Match(c)
}

func system(p *v1.Platform) string {
	if p == nil {
		return "-"
	}
	return platform.From(p).String()
}
