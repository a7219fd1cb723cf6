package windows

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// release is the release that the tests read.
type release struct {
	lock  *lock.Lock
	store *store.Store
}

// open opens the release that `go tool mage test` names.
func open(t *testing.T) release {
	t.Helper()
	dist, dir := os.Getenv("SLIPWAY_DIST"), os.Getenv("SLIPWAY_STORE")
	if dist == "" || dir == "" {
		t.Fatal("SLIPWAY_DIST and SLIPWAY_STORE name no release: run go tool mage test")
	}
	l, err := lock.Read(filepath.Join(dist, lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return release{l, st}
}

// child is one manifest of the release.
type child struct {
	lock.Child
	name     string // of the image it belongs to
	image    v1.Image
	config   *v1.ConfigFile
	platform platform.Platform
}

// children returns the manifests for one operating system, by image.
func (r release) children(t *testing.T, os string) map[string][]child {
	t.Helper()
	all := map[string][]child{}
	for _, i := range r.lock.Images {
		for _, c := range i.Children {
			p := c.Platform
			if p.OS != os || i.Kind == "lifecycle" {
				continue
			}
			all[i.Name] = append(all[i.Name], r.open(t, i.Name, c, p))
		}
	}
	if len(all) == 0 {
		t.Fatalf("the release has no images for %s", os)
	}
	return all
}

func (r release) open(t *testing.T, name string, c lock.Child, p platform.Platform) child {
	t.Helper()
	img, err := r.store.Image(c.Digest)
	if err != nil {
		t.Fatal(err)
	}
	cf, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return child{c, name, img, cf, p}
}

// windowsOf returns the child of an image that the newest Windows release runs.
func (r release) windowsOf(t *testing.T, name string) child {
	t.Helper()
	list := r.children(t, platform.Windows)[name]
	if len(list) == 0 {
		t.Fatalf("image %s has no Windows child", name)
	}
	return list[0]
}

// lifecycle returns the lifecycle image and its layer for one operating system, which a label
// names.
func (r release) lifecycle(t *testing.T, os string) (child, v1.Layer) {
	t.Helper()
	i, ok := r.lock.Image("lifecycle")
	if !ok || len(i.Children) != 1 {
		t.Fatalf("the release has no lifecycle image of one manifest: %+v", i)
	}
	c := r.open(t, i.Name, i.Children[0], platform.Platform{OS: platform.Linux, Architecture: "amd64"})
	diff, err := v1.NewHash(c.config.Config.Labels[os])
	if err != nil {
		t.Fatalf("label %s: %v", os, err)
	}
	l, err := c.image.LayerByDiffID(diff)
	if err != nil {
		t.Fatal(err)
	}
	return c, l
}

// each visits the entries of a layer in order.
func each(t *testing.T, l v1.Layer, visit func(h *tar.Header, r io.Reader)) {
	t.Helper()
	u, err := l.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	for r := tar.NewReader(u); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		visit(h, r)
	}
}

// unpack puts the layers into dir as the runtime does: for Windows what is below Files/.
func unpack(t *testing.T, dir, os string, layers ...v1.Layer) {
	t.Helper()
	for _, l := range layers {
		each(t, l, func(h *tar.Header, r io.Reader) {
			if err := place(dir, os, h, r); err != nil {
				t.Fatalf("unpacking %s: %v", h.Name, err)
			}
		})
	}
}

func place(dir, system string, h *tar.Header, r io.Reader) error {
	to := func(name string) (string, bool) {
		if system == platform.Windows {
			var ok bool
			if name, ok = strings.CutPrefix(name, "Files/"); !ok {
				return "", false
			}
		}
		return filepath.Join(dir, filepath.FromSlash(name)), filepath.IsLocal(filepath.FromSlash(name))
	}
	path, ok := to(h.Name)
	if !ok || h.Name == "Files/" {
		return nil
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(path, 0o755)
	case tar.TypeLink:
		target, _ := to(h.Linkname)
		return os.Link(target, path)
	case tar.TypeSymlink:
		return os.Symlink(h.Linkname, path)
	case tar.TypeReg:
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
	return errors.New("its type is none of an image")
}
