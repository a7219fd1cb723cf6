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
			Base: &lock.Base{Name: "base", Digest: digest(200 + n), StandIn: p.OS == platform.Windows},
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
	lifecycle.Children[0].Systems = []string{"linux", "windows"}
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
	golden.Compare(t, *update, "testdata/kpack.yaml", string(got))
	p.Dir = copyTo(t, p.Dir, "overlays") // another place on disk
	again, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, again) {
		t.Errorf("the same release rendered twice: %s", cmp.Diff(string(got), string(again)))
	}
	docs, err := render.Read("release.yaml", got)
	if err != nil {
		t.Fatal(err)
	}
	if err := render.Check(docs, l); err != nil {
		t.Errorf("read back: %v", err)
	}
}

// TestKpackFaults takes out of kpack's images what its manifest relies on.
func TestKpackFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*product.Product, *lock.Lock)
		want   []string
	}{
		{
			"a lifecycle without Windows layer",
			func(_ *product.Product, l *lock.Lock) { l.Images[6].Children[0].Systems = nil },
			[]string{"env[WINDOWS_LIFECYCLE_IMAGE].value: it is named for Windows, but image lifecycle has no files for windows"},
		},
		{
			"a helper without Windows children",
			func(_ *product.Product, l *lock.Lock) { l.Images[4].Children = l.Images[4].Children[:1] },
			[]string{
				"release.values.build_init_windows.image: it is named for Windows, but image build-init has no files for windows",
				"kpack:config/controller.yaml:18: ConfigMap kpack/build-init-windows-image: data.image: it is named for Windows",
				"env[WINDOWS_BUILD_INIT_IMAGE].value: it is named for Windows",
			},
		},
		{
			"a controller for Windows alone",
			func(_ *product.Product, l *lock.Lock) {
				l.Images[0].Children[0].Platform = platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}
			},
			[]string{"containers[controller].image: the pod selects linux nodes, but controller has no image for linux"},
		},
		{
			"a value left out",
			func(p *product.Product, _ *lock.Lock) { delete(p.Release.Values, "rebase") },
			[]string{"kpack:config/controller.yaml:34: ConfigMap kpack/rebase-image: data.image: rebase is not pinned by digest"},
		},
		{
			"a value that kpack does not know",
			func(p *product.Product, _ *lock.Lock) { p.Release.Values["completion_window"] = map[string]any{} },
			[]string{"completion_window", "hint: did you mean"},
		},
		{
			"a wrong hash",
			func(p *product.Product, _ *lock.Lock) { p.Sources[0].Sum = p.Sources[1].Sum },
			[]string{"source kpack: hash mismatch"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, l := kpack(t)
			tt.change(p, l)
			_, err := render.Render(t.Context(), p, l, render.Options{})
			wantError(t, err, tt.want)
		})
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
