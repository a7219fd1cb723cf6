package consumers

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containerd/containerd/v2/core/remotes/docker"
	"github.com/containerd/containerd/v2/core/remotes/docker/config"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/rancher/wharfie/pkg/registries"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestMirrorConfig pulls every image of a bundle by its original name as containerd and RKE2 do,
// with the files that mirror-config makes for them, from a registry that has the images below a
// prefix. They get there as with crane push: from layouts that extract makes.
func TestMirrorConfig(t *testing.T) {
	t.Parallel()
	r := cutDemo(t)
	b, err := bundle.Open(filepath.Join(r.dir, "demo-images.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	server := httptest.NewServer(registrytest.Handler())
	defer server.Close()
	to := strings.TrimPrefix(server.URL, "http://") + "/some/mirror"
	for _, i := range b.Contents().Images {
		pushLayout(t, b, i, to)
	}
	files, err := airgap.MirrorConfig([]*bundle.Contents{b.Contents()}, airgap.MirrorOptions{To: to})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	resolver := docker.NewResolver(docker.ResolverOptions{
		Hosts: config.ConfigureHosts(t.Context(),
			config.HostOptions{HostDir: config.HostDirFromRoot(filepath.Join(dir, "certs.d"))}),
	})
	agent, err := registries.GetPrivateRegistries(filepath.Join(dir, "registries.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Contents().Images {
		for _, ref := range []string{i.Name, i.Reference()} {
			if _, d, err := resolver.Resolve(t.Context(), ref); err != nil || d.Digest.String() != i.Digest().String() {
				t.Errorf("containerd finds %s as %s: %v", ref, d.Digest, err)
			}
			parsed, err := name.ParseReference(ref)
			if err != nil {
				t.Fatal(err)
			}
			img, err := agent.Image(parsed, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: "amd64"}))
			if err != nil {
				t.Errorf("RKE2 does not find %s: %v", ref, err)
				continue
			}
			if got, err := img.Digest(); err != nil || got != i.Included()[0].Desc.Digest {
				t.Errorf("RKE2 finds %s as %s, want %s: %v", ref, got, i.Included()[0].Desc.Digest, err)
			}
		}
	}
}

// pushLayout extracts an image and pushes it from there, its host replaced.
func pushLayout(t *testing.T, b *bundle.Bundle, i bundle.Image, to string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "image")
	if _, err := b.Extract(t.Context(), i.Name, bundle.ExtractOptions{To: dir}); err != nil {
		t.Fatal(err)
	}
	p, err := layout.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	index, err := p.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	_, path, _ := strings.Cut(i.Name, "/")
	tag, err := name.NewTag(to + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	if i.Tree.Desc.MediaType.IsIndex() {
		whole, err := index.ImageIndex(i.Digest())
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.WriteIndex(tag, whole); err != nil {
			t.Fatal(err)
		}
		return
	}
	img, err := index.Image(i.Digest())
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, img); err != nil {
		t.Fatal(err)
	}
}
