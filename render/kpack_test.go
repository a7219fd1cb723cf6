package render_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

var update = flag.Bool("update", false, "write the golden files anew")

// digest makes up a digest that can be told from others.
func digest(n int) v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(fmt.Sprintf("%02x", n), 32)}
}

// image makes up an image of a lock.
func image(n int, name string, platforms ...platform.Platform) lock.Image {
	i := lock.Image{Name: name, Kind: "go", Repository: "slipway.local/kpack/" + name, Tag: "0.16.1", Digest: digest(n)}
	for _, p := range platforms {
		i.Children = append(i.Children, lock.Child{
			Platform: p, Digest: digest(100 + n),
			Base: &lock.Base{Name: "base", Digest: digest(200 + n), Stub: p.OS == platform.Windows},
		})
	}
	return i
}

// kpack returns kpack's product, as slipway.yaml describes it, and a lock with made-up digests.
func kpack(t *testing.T) (*product.Product, *lock.Lock) {
	t.Helper()
	linux := platform.Platform{OS: "linux", Architecture: "amd64"}
	windows := func(version string) platform.Platform {
		return platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: version}
	}
	both := []platform.Platform{linux, windows("10.0.26100.1"), windows("10.0.17763.1")}
	lifecycle := image(7, "lifecycle", linux)
	lifecycle.Children[0].ExtraOS = []string{"linux", "windows"}
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion, Name: "kpack", Version: "0.16.1", Registry: "slipway.local/kpack", Snapshot: true,
		Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC),
		Sources: []lock.Source{
			{Name: "kpack", Module: "github.com/pivotal/kpack@v0.16.1", Revision: "7188425b0c96c4da0cce7cbb04872bb115213907"},
			{Name: "lifecycle", Module: "github.com/buildpacks/lifecycle@v0.20.5", Revision: "ddcded12be80c2d432777675bbe61a1589631541"},
		},
		Images: []lock.Image{
			image(1, "controller", linux), image(2, "webhook", linux), image(3, "build-waiter", linux),
			image(4, "rebase", linux), image(5, "build-init", both...), image(6, "completion", both...), lifecycle,
		},
		ThirdParty: []lock.ThirdParty{{Reference: "registry.k8s.io/pause:3.10", Digest: digest(9), Platforms: both}},
	}
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SOURCE_DATE_EPOCH", "")
	p, err := product.Load(product.Options{Path: "../slipway.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	return p, l
}

// TestKpack holds kpack's release.yaml against a golden file, and renders it twice.
func TestKpack(t *testing.T) {
	p, l := kpack(t)
	got, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/kpack.yaml", string(got.Text))
	p.Dir = copyTo(t, p.Dir, "overlays") // another place on disk
	again, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Text, again.Text) {
		t.Errorf("the same release rendered twice: %s", cmp.Diff(string(got.Text), string(again.Text)))
	}
}

// copyTo copies a folder of dir into a new directory and returns that.
func copyTo(t *testing.T, dir, folder string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(filepath.Join(to, folder), os.DirFS(filepath.Join(dir, folder))); err != nil {
		t.Fatal(err)
	}
	return to
}
