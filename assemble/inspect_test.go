package assemble_test

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// children returns the children that an image's index lists.
func children(t *testing.T, st *store.Store, i built.Image) []storetest.Listed {
	t.Helper()
	idx, err := storetest.OpenIndex(st, i.Digest)
	if err != nil {
		t.Fatal(err)
	}
	return storetest.List(t, idx)
}

// describe writes an index's annotations, and for each child its settings and the files
// in the layers above the base.
func describe(t *testing.T, st *store.Store, i built.Image, idx v1.ImageIndex) string {
	t.Helper()
	var s strings.Builder
	m, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&s, "image %s (%s)\n", i.Name, i.Kind)
	for _, k := range slices.Sorted(maps.Keys(m.Annotations)) {
		fmt.Fprintf(&s, "annotation %s=%s\n", k, m.Annotations[k])
	}
	for _, c := range children(t, st, i) {
		fmt.Fprintf(&s, "\n%s of image %s\n%s", platform.From(c.Platform).String(), i.Name, image(t, c.Image))
	}
	return s.String() + "\n"
}

func image(t *testing.T, img v1.Image) string {
	t.Helper()
	var s strings.Builder
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range slices.Sorted(maps.Keys(m.Annotations)) {
		fmt.Fprintf(&s, "annotation %s=%s\n", k, m.Annotations[k])
	}
	cf, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.RootFS.DiffIDs = nil
	b, err := json.MarshalIndent(cf, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&s, "%s\n", b)
	all, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for n, l := range all {
		mt, err := l.MediaType()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "layer %d %s\n", n, mt)
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for tr := tar.NewReader(r); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(h.Name, "usr/share/zoneinfo/") && h.Name != "usr/share/zoneinfo/" {
				continue // package base lists them
			}
			fmt.Fprintf(&s, "  %c %04o %d:%d %s %s", h.Typeflag, h.Mode,
				h.Uid, h.Gid, h.ModTime.UTC().Format("2006-01-02T15:04:05Z"), h.Name)
			if h.Linkname != "" {
				fmt.Fprintf(&s, " -> %s", h.Linkname)
			}
			s.WriteByte('\n')
		}
	}
	return s.String()
}

func result(t *testing.T, p *product.Product, st *store.Store) *built.Result {
	t.Helper()
	l, err := assemble.Build(t.Context(), p, assemble.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func load(t *testing.T, dir string) *product.Product {
	t.Helper()
	p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, product.File)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// copied copies a product to a directory of its own, without its outputs.
func copied(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".slipway" || d.Name() == "dist" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func replace(t *testing.T, path, old, to string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Replace(string(b), old, to, 1)
	if s == string(b) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
}

// blobs lists the store's blobs with their modification times.
func blobs(t *testing.T, st *store.Store) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(filepath.Join(st.Dir(), "blobs"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		m[d.Name()] = fi.ModTime().String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func layers(t *testing.T, st *store.Store, c lock.Child) []string {
	t.Helper()
	img, err := st.Image(c.Digest)
	if err != nil {
		t.Fatal(err)
	}
	return digests(t, img)
}

func digests(t *testing.T, img v1.Image) (all []string) {
	t.Helper()
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Layers {
		all = append(all, l.Digest.String())
	}
	return all
}
