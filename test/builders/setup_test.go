package builders

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

var (
	amd64 = platform.Platform{OS: "linux", Architecture: "amd64"}
	epoch = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
)

// starts gives a test each of the builders, with nothing in its cache.
var starts = map[string]func(t *testing.T){
	builder.Docker: func(t *testing.T) {
		testprog.Need(t, "docker")
		plugin, addr, dir := testprog.Built(t, "buildx", "buildx"), testprog.Buildkitd(t), t.TempDir()
		must(t, os.MkdirAll(filepath.Join(dir, "cli-plugins"), 0o755))
		must(t, os.Symlink(plugin, filepath.Join(dir, "cli-plugins", "docker-buildx")))
		t.Setenv("DOCKER_CONFIG", dir)
		testprog.Run(t, "docker", "buildx", "create", "--name=slipway-test", "--driver=remote", "--use", addr)
	},
	builder.Buildctl: func(t *testing.T) {
		client := testprog.Built(t, "buildkit", "buildctl")
		t.Setenv("BUILDKIT_HOST", testprog.Buildkitd(t))
		t.Setenv("PATH", filepath.Dir(client)+string(os.PathListSeparator)+os.Getenv("PATH"))
	},
	builder.Podman: func(t *testing.T) {
		testprog.Need(t, "podman")
		ownStore(t)
	},
}

// ownStore gives podman and buildah a store of the test.
func ownStore(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	conf := filepath.Join(dir, "storage.conf")
	write(t, conf, fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n",
		filepath.Join(dir, "graph"), filepath.Join(dir, "run")))
	t.Setenv("CONTAINERS_STORAGE_CONF", conf)
}

// start returns a builder that has nothing in its cache.
func start(t *testing.T, name string) builder.Tool {
	t.Helper()
	starts[name](t)
	tool, err := builder.Find(t.Context(), name)
	must(t, err)
	t.Log(tool.Version)
	return tool
}

// base makes an image with busybox, and returns it as a named context.
func base(t *testing.T) string {
	t.Helper()
	testprog.Need(t, "buildah")
	testprog.Need(t, "busybox")
	testprog.Need(t, "umoci")
	busybox, err := exec.LookPath("busybox")
	must(t, err)
	ownStore(t)
	dir := t.TempDir()
	container := strings.TrimSpace(testprog.Run(t, "buildah", "from", "scratch"))
	for _, name := range []string{"/bin/busybox", "/bin/sh"} {
		testprog.Run(t, "buildah", "copy", "--quiet", container, busybox, name)
	}
	testprog.Run(t, "buildah", "commit", "--quiet", "--format=oci", container, "oci:"+dir+":base")
	index, err := layout.ImageIndexFromPath(dir)
	must(t, err)
	m, err := index.IndexManifest()
	must(t, err)
	return "oci-layout://" + dir + "@" + m.Manifests[0].Digest.String()
}

// built is what a builder has made.
type built struct {
	digest v1.Hash
	config *v1.ConfigFile
	layers []v1.Layer
	files  map[string]string // "CONTENT TIME" of regular files
}

// String is what decides the digest.
func (b built) String() string {
	text := fmt.Sprintf("%q", b.files)
	for _, h := range b.config.History {
		text += fmt.Sprintf("\n%s %s %s", h.Created, h.CreatedBy, h.Comment)
	}
	for _, l := range b.layers {
		d, err := l.Digest()
		text += fmt.Sprint("\n", d, err)
	}
	return text
}

// build lets a builder make an image.
func build(t *testing.T, tool builder.Tool, r builder.Request) built {
	t.Helper()
	dir := t.TempDir()
	must(t, tool.Build(t.Context(), r, dir))
	index, err := layout.ImageIndexFromPath(dir)
	must(t, err)
	m, err := index.IndexManifest()
	must(t, err)
	if m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] == "latest" { // of BuildKit
		testprog.Run(t, "umoci", "unpack", "--image", dir+":latest", filepath.Join(t.TempDir(), "bundle"))
	}
	img, err := index.Image(m.Manifests[0].Digest)
	must(t, err)
	b := built{digest: m.Manifests[0].Digest, files: map[string]string{}}
	b.config, err = img.ConfigFile()
	must(t, err)
	b.layers, err = img.Layers()
	must(t, err)
	files := mutate.Extract(img)
	defer files.Close()
	for r := tar.NewReader(files); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return b
		}
		must(t, err)
		if h.Typeflag == tar.TypeReg && h.Size < 100 && !strings.HasPrefix(h.Name, "etc/") { // podman adds empty files there
			text, err := io.ReadAll(r)
			must(t, err)
			b.files["/"+strings.TrimPrefix(h.Name, "/")] = fmt.Sprintf("%s %o %s",
				text, h.Mode&0o7777, h.ModTime.UTC().Format(time.DateTime))
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
