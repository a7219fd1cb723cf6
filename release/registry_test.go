package release_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// serveRegistry runs a registry that counts the requests that change it.
func serveRegistry(t *testing.T) (host string, writes *atomic.Int64) {
	t.Helper()
	writes = new(atomic.Int64)
	h := registrytest.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			writes.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), writes
}

// onRegistry replaces the bases of a copied example by images in a registry on loopback:
// indexes with Docker media types, as Microsoft publishes them, and a revision that no stub
// base has.
func onRegistry(t *testing.T, yaml, host string) {
	t.Helper()
	text, err := os.ReadFile(yaml)
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`mcr\.microsoft\.com/windows/nanoserver:(ltsc\d+)@sha256:[0-9a-f]{64}`)
	changed := pinned.ReplaceAllStringFunc(string(text), func(old string) string {
		ltsc := pinned.FindStringSubmatch(old)[1]
		p, err := platform.Parse("windows/amd64:" + ltsc)
		if err != nil {
			t.Fatal(err)
		}
		p.OSVersion += ".4711"
		return nanoserver(t, fmt.Sprintf("%s/windows/nanoserver:%s", host, ltsc), p)
	})
	if changed == string(text) {
		t.Fatal("the example names no base to replace")
	}
	if err := os.WriteFile(yaml, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// nanoserver pushes a base image and returns its pinned reference.
func nanoserver(t *testing.T, tag string, p platform.Platform) string {
	t.Helper()
	ref, err := name.NewTag(tag)
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(empty.Image, storetest.Layer(t, "Files/Windows/base", p.OSVersion, 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	cf, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.OSVersion = p.OS, p.Architecture, p.OSVersion
	cf.Config.User = "ContainerUser"
	if img, err = mutate.ConfigFile(img, cf); err != nil {
		t.Fatal(err)
	}
	idx := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.DockerManifestList),
		mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p.V1()}})
	if err := remote.WriteIndex(ref, idx); err != nil {
		t.Fatal(err)
	}
	d, err := idx.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return tag + "@" + d.String()
}

// pull returns an index from a registry, by tag or digest, and its children in order.
func pull(t *testing.T, reference string) (v1.ImageIndex, []storetest.Listed) {
	t.Helper()
	ref, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	idx, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	return idx, storetest.List(t, idx)
}

// bill returns a bill of materials without what follows from the registry.
func bill(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`).ReplaceAll(text,
		[]byte("UUID"))
	return strings.ReplaceAll(strings.ReplaceAll(string(text), "/parts/", "/whole/"), ",", ",\n")
}

// TestReleaseToRegistry releases the example to a registry, at once and in two parts on two
// machines, and expects equal releases.
func TestReleaseToRegistry(t *testing.T) {
	host, writes := serveRegistry(t)
	yaml, whole := hello(t), t.TempDir()
	onRegistry(t, yaml, host)
	if _, err := cut(t, product.Options{Path: yaml, Registries: []string{host + "/whole"}}, whole); err != nil {
		t.Fatal(err)
	}
	want, err := lock.Read(filepath.Join(whole, lock.Name))
	if err != nil {
		t.Fatal(err)
	}

	t.Run("what the lock names can be pulled, with os.version", func(t *testing.T) {
		for _, i := range want.Images {
			idx, children := pull(t, i.Tagged())
			if d, err := idx.Digest(); err != nil || d != i.Digest {
				t.Errorf("%s is %s (%v), the lock says %s", i.Tagged(), d, err, i.Digest)
			}
			for _, d := range children {
				cf, err := d.Image.ConfigFile()
				if err != nil {
					t.Fatal(err)
				}
				if d.Platform.OS == platform.Windows && !strings.HasSuffix(d.Platform.OSVersion, ".4711") ||
					cf.OSVersion != d.Platform.OSVersion {
					t.Errorf("%s %s: os.version is %q in the descriptor and %q in the configuration",
						i.Name, d.Platform, d.Platform.OSVersion, cf.OSVersion)
				}
			}
		}
	})

	t.Run("a second run sends nothing", func(t *testing.T) {
		before := writes.Load()
		if _, err := cut(t, product.Options{Path: yaml, Registries: []string{host + "/whole"}}, whole); err != nil {
			t.Fatal(err)
		}
		if n := writes.Load() - before; n != 0 {
			t.Errorf("%d requests changed the registry", n)
		}
	})

	t.Run("two parts merge into the same release", func(t *testing.T) {
		var parts []*lock.Part
		var dirs []string
		for _, os := range []string{"linux", "windows"} {
			out := t.TempDir()
			// Another machine has another store.
			there := hello(t)
			onRegistry(t, there, host)
			if _, err := cut(t, product.Options{
				Path: there, Registries: []string{host + "/parts"},
				Platforms: []string{os},
			}, out); err != nil {
				t.Fatal(err)
			}
			part, err := lock.ReadPart(filepath.Join(out, lock.PartName))
			if err != nil {
				t.Fatal(err)
			}
			parts, dirs = append(parts, part), append(dirs, out)
		}
		here, out := hello(t), t.TempDir()
		onRegistry(t, here, host)
		p, err := product.Load(t.Context(), product.Options{Path: here, Registries: []string{host + "/parts"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := release.Merge(context.Background(),
			p, parts, release.Options{Out: out, ArtifactDirs: dirs[1:]}); err == nil || !strings.Contains(err.Error(),
			"hello-tools.linux-amd64.tar.gz: no part has it") {
			t.Errorf("without the artifacts of a part: %v", err)
		}
		if _, err := release.Merge(context.Background(),
			p, parts, release.Options{Out: out, ArtifactDirs: dirs}); err != nil {
			t.Fatal(err)
		}
		got, err := lock.Read(filepath.Join(out, lock.Name))
		if err != nil {
			t.Fatal(err)
		}
		for n, i := range want.Images {
			if got.Images[n].Digest != i.Digest {
				t.Errorf("%s is %s when merged, %s when built at once", i.Name, got.Images[n].Digest, i.Digest)
			}
		}
		wholeFiles, merged := files(t, whole), files(t, out)
		if len(merged) != len(wholeFiles) {
			t.Errorf("merged into %v, whole %v", merged, wholeFiles)
		}
		for _, name := range []string{
			"hello-tools.linux-amd64.tar.gz", "hello-tools.windows-amd64.zip",
			"hello.linux-amd64", "hello.windows-amd64.exe",
		} {
			if merged[name] == "" || merged[name] != wholeFiles[name] {
				t.Errorf("%s is %q when merged, %q when built at once", name, merged[name], wholeFiles[name])
			}
		}
		for _, name := range []string{"sbom/hello.spdx.json", "sbom/hostinfo.spdx.json", "hello-1.0.0.cdx.json"} {
			a, b := bill(t, whole, name), bill(t, out, name)
			if d := cmp.Diff(a, b); d != "" || !strings.Contains(a, "/whole/") {
				t.Errorf("%s differs when merged:\n%s", name, d)
			}
		}
	})

	t.Run("without its artifacts it is not the product", func(t *testing.T) {
		p, err := product.Load(t.Context(), product.Options{Path: yaml, Registries: []string{host + "/whole"}})
		if err != nil {
			t.Fatal(err)
		}
		part := partOf(want)
		part.Artifacts = part.Artifacts[1:]
		_, err = release.Merge(context.Background(), p, []*lock.Part{part}, release.Options{Out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(),
			"none has hello-tools.linux-amd64.tar.gz: build its part with -platforms linux") {
			t.Errorf("a release without one of its artifacts: %v", err)
		}
	})

	t.Run("a part alone is not the product", func(t *testing.T) {
		p, err := product.Load(t.Context(), product.Options{Path: yaml, Registries: []string{host + "/whole"}})
		if err != nil {
			t.Fatal(err)
		}
		part := partOf(want)
		part.Images = part.Images[:1]
		if _, err := release.Merge(context.Background(), p, []*lock.Part{part},
			release.Options{Out: t.TempDir()}); err == nil {
			t.Error("a release without one of its images was merged")
		}
	})
}

// partOf returns a part that has everything of a release.
func partOf(l *lock.Lock) *lock.Part {
	p := &lock.Part{
		PartVersion: lock.PartVersion, Selected: []string{"hello"}, Release: lock.Release{
			Name: l.Name, Version: l.Version, Created: l.Created,
			Registry: l.Registry, Go: l.Go, Snapshot: l.Snapshot, Sources: l.Sources,
		}, ThirdParty: l.ThirdParty, Artifacts: l.Artifacts,
	}
	for _, i := range l.Images {
		p.Images = append(p.Images, lock.PartImage{
			Name: i.Name, Kind: i.Kind, Repository: i.Repository,
			Tags: i.Tags, MediaType: i.MediaType, Children: i.Children,
		})
	}
	return p
}
