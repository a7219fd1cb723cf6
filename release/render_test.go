package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

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
				"release.values.build_init_windows.image: " +
					"it is named for Windows, but image build-init has no files for windows",
				"kpack:config/controller.yaml:18: ConfigMap kpack/build-init-windows-image: " +
					"data.image: it is named for Windows",
				".value: it is named for Windows",
			},
		},
		{
			"a controller for Windows alone",
			func(_ *product.Product, l *lock.Lock) {
				l.Images[0].Children[0].Platform = platform.Platform{
					OS: "windows", Architecture: "amd64",
					OSVersion: "10.0.20348.1",
				}
			},
			[]string{"containers[0].image: the pod runs on linux, " +
				"and the image is made for windows/amd64:10.0.20348.1"},
		},
		{
			"a value left out",
			func(p *product.Product, _ *lock.Lock) { delete(p.Release.Values, "rebase") },
			[]string{"kpack:config/controller.yaml:34: ConfigMap kpack/rebase-image: data.image: " +
				"rebase is not pinned by digest"},
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
			p, l := storetest.Kpack(t)
			tt.change(p, l)
			_, _, err := release.Render(t.Context(), p, l, nil)
			wantError(t, err, tt.want)
		})
	}
}

// TestOrigin checks that a finding names the line of the template that it comes from, and that
// one in a value of slipway.yaml names its line and path.
func TestOrigin(t *testing.T) {
	app, dir := storetest.MadeUpImage(1, "app", platform.Platform{OS: "linux", Architecture: "amd64"}), t.TempDir()
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
	p.Release.ValuePos = map[string]yamlfile.Pos{"windows_helper.image": {File: "slipway.yaml", Line: 12, Column: 14}}
	p.Release.Env = []product.WorkloadEnv{{
		Kind: "Deployment", Namespace: "demo", Name: "app", Container: "main",
		Variables: []product.Variable{{
			Name: "INIT_IMAGE", Value: "init",
			Pos: yamlfile.Pos{File: "slipway.yaml", Line: 20, Column: 16},
		}},
	}}
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Release: lock.Release{
		Name: "small", Version: "1.2.3",
		Registry: "slipway.local/kpack",
	}, Images: []lock.Image{app}}
	_, _, err := release.Render(t.Context(), p, l, nil)
	wantError(t, err, []string{
		"slipway.yaml:12:14: release.values.windows_helper.image: " +
			"it is named for Windows, but image app has no files for windows",
		"app.yaml:14: Deployment demo/app: spec.template.spec.containers[0].image: nginx is not pinned",
		"slipway.yaml:20: Deployment demo/app: spec.template.spec.containers[0].env[0].value: init is not pinned",
		"app.yaml:15: Deployment demo/app: spec.template.spec.containers[0].args[0]: " +
			"only ko resolves ko://example.com/cmd/a,",
	})
	p.Lint.Allow = []product.Allow{{Rule: "image-ko", Object: "Deployment demo/app", Reason: "it is documentation"}}
	if _, _, err := release.Render(t.Context(), p, l, nil); err == nil || strings.Contains(err.Error(), "ko://") {
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
