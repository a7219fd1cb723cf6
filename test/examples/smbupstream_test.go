package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// smbLinux is upstream's image for Linux, as slipway.yaml has it.
const smbLinux = "registry.k8s.io/sig-storage/smbplugin:v1.20.1"

// upstreamImage is an image of the shape of upstream's.
type upstreamImage struct {
	reference string             // with its digest
	manifests map[string]v1.Hash // by platform
}

// pushUpstream pushes an index of images as upstream's Dockerfile makes them: a driver in /, and
// what mounts shares.
func pushUpstream(t *testing.T, tag string) upstreamImage {
	t.Helper()
	ref, err := name.NewTag(tag)
	must(t, err)
	u := upstreamImage{manifests: map[string]v1.Hash{}}
	idx := v1.ImageIndex(empty.Index)
	for _, arch := range []string{"amd64", "arm64"} {
		p := platform.Platform{OS: platform.Linux, Architecture: arch}
		img, err := mutate.AppendLayers(empty.Image, filesLayer(t, p, map[string]string{"/usr/sbin/mount.cifs": "mounts"}),
			filesLayer(t, p, map[string]string{"/smbplugin": linuxProgram(t, arch)}))
		must(t, err)
		cf, err := img.ConfigFile()
		must(t, err)
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture = p.OS, p.Architecture
		cf.Config.Entrypoint = []string{"/smbplugin"}
		cf.Config.Labels = map[string]string{"maintainers": "andyzhangx", "description": "SMB CSI Driver"}
		img, err = mutate.ConfigFile(img, cf)
		must(t, err)
		u.manifests[p.String()], err = img.Digest()
		must(t, err)
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p.V1()}})
	}
	must(t, remote.WriteIndex(ref, idx))
	d, err := idx.Digest()
	must(t, err)
	u.reference = tag + "@" + d.String()
	return u
}

// linuxProgram compiles a program that does nothing.
func linuxProgram(t *testing.T, arch string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", "program", "main.go")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "program"))
	must(t, err)
	return string(b)
}

// check checks that a manifest of a release is upstream's, and that the lock says so.
func (u upstreamImage) check(t *testing.T, c lock.Child) {
	t.Helper()
	if c.Digest != u.manifests[c.Platform.String()] {
		t.Errorf("%s is %s, upstream's is %s", c.Platform, c.Digest, u.manifests[c.Platform.String()])
	}
	if c.Prebuilt == nil || c.Prebuilt.From != u.reference || c.Prebuilt.Builder != "" || c.Base != nil {
		t.Errorf("%s: the lock has it from %+v, on base %v, want %s as it is", c.Platform, c.Prebuilt, c.Base, u.reference)
	}
}
