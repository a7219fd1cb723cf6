package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// digest returns a made-up digest that differs from all others.
func digest(n int) v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(fmt.Sprintf("%02x", n), 32)}
}

// image returns a made-up image of a lock.
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

// TestKpackFaults removes from kpack's images what its manifest relies on.
func TestKpackFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*product.Product, *lock.Lock)
		want   []string
	}{
		{
			"a lifecycle without Windows layer",
			func(_ *product.Product, l *lock.Lock) { l.Images[6].Children[0].ExtraOS = nil },
			[]string{".value: it is named for Windows, but image lifecycle has no files for windows"},
		},
		{
			"a helper without Windows children",
			func(_ *product.Product, l *lock.Lock) { l.Images[4].Children = l.Images[4].Children[:1] },
			[]string{
				"release.values.build_init_windows.image: it is named for Windows, but image build-init has no files for windows",
				"kpack:config/controller.yaml:18: ConfigMap kpack/build-init-windows-image: data.image: it is named for Windows",
				".value: it is named for Windows",
			},
		},
		{
			"a controller for Windows alone",
			func(_ *product.Product, l *lock.Lock) {
				l.Images[0].Children[0].Platform = platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}
			},
			[]string{"containers[0].image: the pod runs on linux, and the image is made for windows/amd64:10.0.20348.1"},
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
			_, err := release.Render(t.Context(), p, l, nil)
			wantError(t, err, tt.want)
		})
	}
}

// TestOrigin checks that a finding names the line of the template that it comes from, and that
// one in a value of slipway.yaml names the path.
func TestOrigin(t *testing.T) {
	app, dir := image(1, "app", platform.Platform{OS: "linux", Architecture: "amd64"}), t.TempDir()
	template := `#@ load("@ytt:data", "data")
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: demo}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/os: linux}
      containers:
      - name: main
        image: #@ data.values.image
        args: [ko://example.com/cmd/a]
`
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(template), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &product.Product{Dir: dir, Path: "slipway.yaml", Name: "small", Version: "1.2.3"}
	p.Release.Templates = []product.Template{{Path: "app.yaml"}}
	p.Release.Values = map[string]any{"image": "nginx", "windows_helper": map[string]any{"image": `{{image "app"}}`}}
	p.Release.Env = []product.WorkloadEnv{{
		Kind: "Deployment", Namespace: "demo", Name: "app", Container: "main", Variables: []product.Variable{{Name: "INIT_IMAGE", Value: "init"}},
	}}
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Name: "small", Version: "1.2.3", Registry: "slipway.local/kpack", Images: []lock.Image{app}}
	_, err := release.Render(t.Context(), p, l, nil)
	wantError(t, err, []string{
		"slipway.yaml:1:1: release.values.windows_helper.image: it is named for Windows, but image app has no files for windows",
		"app.yaml:14: Deployment demo/app: spec.template.spec.containers[0].image: nginx is not pinned",
		"slipway.yaml: Deployment demo/app: spec.template.spec.containers[0].env[0].value: init is not pinned",
		"app.yaml:15: Deployment demo/app: spec.template.spec.containers[0].args[0]: only ko resolves ko://example.com/cmd/a,",
	})
	p.Lint.Allow = []product.Allow{{Rule: "image-ko", Object: "Deployment demo/app", Reason: "it is documentation"}}
	if _, err := release.Render(t.Context(), p, l, nil); err == nil || strings.Contains(err.Error(), "ko://") {
		t.Errorf("what is allowed ends the release: %v", err)
	}
}

func wantError(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q:\n%v", w, err)
		}
	}
}
