package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
	"github.com/slipway-dev/slipway/test/cluster/node"
)

// windowsBase is an image that a base is read from: no Windows runs here.
func windowsBase(t *testing.T, version string) v1.Image {
	t.Helper()
	config := &v1.ConfigFile{
		OS: "windows", Architecture: "amd64", OSVersion: version,
		RootFS: v1.RootFS{Type: "layers"},
	}
	img, err := mutate.ConfigFile(empty.Image, config)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// image is the program under test with this machine's Go toolchain, where that is here.
func (j *jobs) image(t *testing.T) v1.Image {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	goroot := strings.TrimSpace(string(out))
	var files bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&files, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zipped)
	add := func(from, to string) {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{
			Name: strings.TrimPrefix(to, "/"), Mode: int64(fi.Mode().Perm()),
			Size: int64(len(b)),
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	add(j.slipway, "/usr/local/bin/slipway")
	err = node.WalkToolchain(goroot, func(p string) { add(p, p) })
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	img, err = mutate.ConfigFile(img, configured(t, img, v1.Config{
		User: "65532:65532", Entrypoint: []string{"/usr/local/bin/slipway"},
		Env: []string{"PATH=" + goroot + "/bin:/usr/local/bin"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func configured(t *testing.T, img v1.Image, config v1.Config) *v1.ConfigFile {
	t.Helper()
	f, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	f = f.DeepCopy()
	f.OS, f.Architecture, f.Config = "linux", "amd64", config
	return f
}

// pushImage pushes an image into the registry of a namespace.
func pushImage(t *testing.T, n *namespace.Namespace, ref string, img v1.Image) {
	t.Helper()
	tag, err := name.NewTag(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, img, remote.WithContext(t.Context()),
		remote.WithTransport(&http.Transport{DialContext: n.Dial})); err != nil {
		t.Fatal(err)
	}
}

// tree returns the files of a release with their modes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".gitignore" || d.Name() == "release.weights.json" {
			return err // of that machine, and not of the release
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		h, _, _ := v1.SHA256(bytes.NewReader(b))
		all[rel] = fi.Mode().String() + " " + h.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
