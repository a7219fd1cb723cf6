package prebuilt

import (
	"archive/tar"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// says is what the program of each image prints.
const says = "made by another builder"

const source = `package main

import "os"

func main() { os.Stdout.WriteString("` + says + `\n") }
`

const dockerfile = `FROM scratch
COPY app /app
COPY busybox /bin/sh
RUN echo made >/made
ENTRYPOINT ["/app"]
`

// copies is for builders without RUN.
const copies = `FROM scratch
COPY app /app
ENTRYPOINT ["/app"]
`

// world has what the makers of images get.
type world struct {
	dir      string // for what they make
	context  string // with app, busybox, Dockerfile, Dockerfile.copies, main.go and go.mod
	layer    string // a tar archive with the program
	saved    string // an image in a docker-archive
	registry string // of Debian, on loopback
}

func newWorld(t *testing.T) *world {
	t.Helper()
	testprog.Need(t, "busybox")
	dir, err := os.MkdirTemp("", "slipway-") // ko takes no path with capitals
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &world{dir: dir, context: filepath.Join(dir, "context"), registry: serve(t)}
	write(t, filepath.Join(w.context, "main.go"), source)
	write(t, filepath.Join(w.context, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	write(t, filepath.Join(w.context, "Dockerfile"), dockerfile)
	write(t, filepath.Join(w.context, "Dockerfile.copies"), copies)
	write(t, filepath.Join(w.context, ".dockerignore"), "*.go\ngo.mod\n")
	w.in(t, w.context, []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", "app", ".")
	busybox, err := exec.LookPath("busybox")
	must(t, err)
	copied(t, busybox, filepath.Join(w.context, "busybox"))
	w.layer, w.saved = filepath.Join(dir, "layer.tar"), filepath.Join(dir, "saved.tar")
	program, err := os.ReadFile(filepath.Join(w.context, "app"))
	must(t, err)
	var files bytes.Buffer
	a := tar.NewWriter(&files)
	must(t, a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "app", Mode: 0o755, Size: int64(len(program))}))
	_, err = a.Write(program)
	must(t, err)
	must(t, a.Close())
	must(t, os.WriteFile(w.layer, files.Bytes(), 0o644))
	layer, err := tarball.LayerFromFile(w.layer)
	must(t, err)
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/app"}},
	})
	must(t, err)
	base, err := name.NewTag(w.base())
	must(t, err)
	must(t, remote.Write(base, img)) // without layers
	img, err = mutate.AppendLayers(img, layer)
	must(t, err)
	tag, err := name.NewTag("demo/saved:1")
	must(t, err)
	must(t, tarball.WriteToFile(w.saved, tag, img))
	return w
}

// base is the image that ko builds on.
func (w *world) base() string { return w.registry + "/from/base:1" }

// serve starts the registry of this system, until the test ends.
func serve(t *testing.T) string {
	t.Helper()
	testprog.Need(t, "registry")
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yml")
	write(t, config, "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: "+dir+
		"\nhttp:\n  addr: 127.0.0.1:0\n  secret: test\n")
	cmd := exec.CommandContext(t.Context(), "docker-registry", "serve", config)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Wait() }) //nolint:errcheck // it is killed
	listening := regexp.MustCompile(`listening on (127\.0\.0\.1:\d+)`)
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		must(t, err)
		if m := listening.FindStringSubmatch(line); m != nil {
			go io.Copy(io.Discard, lines) //nolint:errcheck // ends with the process
			return m[1]
		}
	}
}

// in runs a program in a directory, with further variables, and returns what it prints.
func (w *world) in(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// fails runs a program that has to fail, and returns what it prints.
func (w *world) fails(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%s %s succeeds", filepath.Base(program), strings.Join(args, " "))
	}
	return string(out)
}

// linux returns the digest of the manifest for linux/amd64 that a digest of a layout leads to; "" is
// the only entry of index.json.
func linux(t *testing.T, dir, digest string) string {
	t.Helper()
	index, err := layout.ImageIndexFromPath(dir)
	must(t, err)
	top, err := index.IndexManifest()
	must(t, err)
	for _, d := range top.Manifests {
		if digest != "" && d.Digest.String() != digest {
			continue
		}
		if !d.MediaType.IsIndex() {
			return d.Digest.String()
		}
		below, err := index.ImageIndex(d.Digest)
		must(t, err)
		m, err := below.IndexManifest()
		must(t, err)
		for _, c := range m.Manifests {
			if c.Platform == nil || c.Platform.OS == "linux" {
				return c.Digest.String()
			}
		}
	}
	t.Fatalf("%s has no image at %q", dir, digest)
	return ""
}

// archived does that for an archive of a layout.
func archived(t *testing.T, w *world, file, digest string) string {
	t.Helper()
	dir := t.TempDir()
	w.in(t, dir, nil, "tar", "-xf", file)
	return linux(t, dir, digest)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return strings.TrimSpace(string(text))
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, text, 0o755))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ownStore gives podman and buildah a store of the test, and returns the name of its configuration.
func ownStore(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	conf := filepath.Join(dir, "storage.conf")
	write(t, conf, fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n",
		filepath.Join(dir, "graph"), filepath.Join(dir, "run")))
	t.Setenv("CONTAINERS_STORAGE_CONF", conf)
}
