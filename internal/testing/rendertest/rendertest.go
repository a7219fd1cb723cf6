// Package rendertest makes a small product to be rendered in tests.
package rendertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Small returns a product with the templates given by file name, in a directory of its own, and a
// lock with the images app (linux), tools (linux and windows) and lifecycle (one manifest with
// the files of both).
func Small(t testing.TB, templates map[string]string) (*product.Product, *lock.Lock) {
	t.Helper()
	p := &product.Product{Dir: t.TempDir(), Path: "slipway.yaml", Name: "small", Version: "1.2.3"}
	for name, text := range templates {
		path := filepath.Join(p.Dir, "deploy", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.Release.Templates = []product.Template{{Path: "deploy"}}
	lifecycle := storetest.MadeUpImage(3, "lifecycle", platform.Platform{OS: "linux", Architecture: "amd64"})
	lifecycle.Children[0].ExtraOS = []string{"linux", "windows"}
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion,
		Release:       lock.Release{Name: "small", Version: "1.2.3", Registry: "slipway.local/kpack"},
		Images: []lock.Image{storetest.MadeUpImage(1,
			"app", platform.Platform{OS: "linux", Architecture: "amd64"}), storetest.MadeUpImage(2,
			"tools", platform.Platform{OS: "linux", Architecture: "amd64"},
			platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}), lifecycle},
		ThirdParty: []lock.ThirdParty{
			{
				Reference: "registry.k8s.io/pause:3.10", Digest: storetest.MadeUpDigest(9),
				Platforms: []platform.Platform{
					{OS: "linux", Architecture: "amd64"},
					{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"},
				},
			},
			{
				Reference: "busybox:1.36", Digest: storetest.MadeUpDigest(10),
				Platforms: []platform.Platform{{OS: "linux", Architecture: "amd64"}},
			},
			{Reference: "quay.io/offline/tool:1", Omitted: "no registry was named"},
		},
	}
	return p, l
}

// References has references by what they are called in tests.
var References = strings.NewReplacer(
	"$APP", "slipway.local/kpack/app@"+storetest.MadeUpDigest(1).String(),
	"$TOOLS", "slipway.local/kpack/tools@"+storetest.MadeUpDigest(2).String(),
	"$LIFECYCLE", "slipway.local/kpack/lifecycle@"+storetest.MadeUpDigest(3).String(),
	"$PAUSE", "registry.k8s.io/pause@"+storetest.MadeUpDigest(9).String(),
	"$BUSYBOX", "docker.io/library/busybox@"+storetest.MadeUpDigest(10).String(),
	"$OFFLINE", "quay.io/offline/tool@"+storetest.MadeUpDigest(11).String(),
	"$OTHER", storetest.MadeUpDigest(99).String(),
)

// Deployment returns a Deployment demo/app on Linux whose container main has the fields given.
func Deployment(container string) string {
	return References.Replace(`apiVersion: apps/v1
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
        ` + strings.ReplaceAll(container, "\n", "\n        ") + "\n")
}

// Fails checks that there is an error, which has all texts with [References] in place.
func Fails(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), References.Replace(w)) {
			t.Errorf("the error lacks %q:\n%v", w, err)
		}
	}
}
