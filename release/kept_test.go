package release_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

// TestFloatingRefused: where a registry refuses floating tags, all else of the release is complete,
// in the directory, too.
func TestFloatingRefused(t *testing.T) {
	s := newSmall(t, nil)
	s.write(t, map[string]string{product.File: strings.Replace(read(t, filepath.Join(s.dir, product.File)),
		"sources:", "names: {floatingTags: [latest]}\nsources:", 1)})
	s.registry.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		refused := r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/manifests/latest")
		if refused {
			http.Error(w, "immutable", http.StatusMethodNotAllowed)
		}
		return refused
	})
	says(t, s.release(t), "/own/demo/app:latest", "-floating=keep")
	if all := files(t, s.dist()); all["SHA256SUMS"] == "" || all["release.lock.json"] == "" {
		t.Errorf("the directory has %v", all)
	}
}

// TestPackKeeps: packing what a complete, signed release has, and packing that fails, leaves its
// checksums and their signatures; a bundle that changes ends them.
func TestPackKeeps(t *testing.T) {
	s := newSmall(t, nil)
	if _, err := release.Release(t.Context(), s.load(t), release.Options{
		Out: s.dist(), Signer: bundletest.FixedKey(t),
	}); err != nil {
		t.Fatal(err)
	}
	before := files(t, s.dist())
	own, err := store.Open(filepath.Join(s.dir, ".slipway"))
	if err != nil {
		t.Fatal(err)
	}
	pack := func(st *store.Store, platforms ...string) error {
		p, err := product.Load(t.Context(), product.Options{
			Path: filepath.Join(s.dir, product.File), Registries: []string{s.registry.Host() + "/own"},
			Platforms: platforms,
		})
		if err != nil {
			t.Fatal(err)
		}
		stage := &release.Stage{Product: p, Store: st, Out: s.dist()}
		_, err = stage.Pack(t.Context(), nil, false)
		return err
	}
	for name, c := range map[string]struct {
		st        *store.Store
		platforms []string
	}{
		"again":         {own, nil},
		"a platform":    {own, []string{"linux"}},
		"another store": {storetest.Open(t), nil},
	} {
		if err := pack(c.st, c.platforms...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(before, files(t, s.dist())); d != "" {
			t.Fatalf("%s: (-before +after):\n%s", name, d)
		}
	}
	s.registry.Close()
	if err := pack(storetest.Open(t)); err == nil {
		t.Error("a store that has nothing was packed")
	}
	if d := cmp.Diff(before, files(t, s.dist())); d != "" {
		t.Errorf("after an error (-before +after):\n%s", d)
	}
	bundles, err := filepath.Glob(filepath.Join(s.dist(), "*.tar.zst"))
	if err != nil || len(bundles) == 0 {
		t.Fatal(bundles, err)
	}
	if err := os.WriteFile(bundles[0], []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := pack(own); err != nil {
		t.Fatal(err)
	}
	if _, there := files(t, s.dist())["SHA256SUMS"]; there {
		t.Error("a bundle was written, and the checksums stayed")
	}
}

// TestDeltaKept: of the deltas of an earlier release, one that cannot be read stays, and ends the
// release; one that is damaged makes no bundle, and goes.
func TestDeltaKept(t *testing.T) {
	for name, write := range map[string]func(path string) error{
		"unread":  func(path string) error { return os.Symlink(filepath.Base(path), path) }, // it leads to itself
		"damaged": func(path string) error { return os.WriteFile(path, []byte("\x28\xb5\x2f\xfd"), 0o644) },
	} {
		dir := t.TempDir()
		delta := filepath.Join(dir, "demo.tar.zst.delta")
		text := `{"filesVersion": 1, "name": "demo", "files": ["demo.tar.zst.delta"]}`
		if err := errors.Join(write(delta), os.WriteFile(filepath.Join(dir, ".release.files.json"), []byte(text),
			0o644)); err != nil {
			t.Fatal(err)
		}
		err := release.Sweep(dir, nil, nil, nil)
		_, gone := os.Lstat(delta)
		if stays := name == "unread"; (err != nil) != stays || (gone == nil) != stays {
			t.Errorf("%s: error %v, the file: %v", name, err, gone)
		}
	}
}
