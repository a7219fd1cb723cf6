package product_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/product"
)

// TestUsed loads products in which everything is used: by FROM, by COPY --from, by
// templates and by artifacts.
func TestUsed(t *testing.T) {
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SLIPWAY_VERSION", "")
	for _, dir := range []string{"..", "../examples/hello", "../examples/csi-driver-smb", "../examples/rke2"} {
		p, err := product.Load(t.Context(), product.Options{
			Path: filepath.Join(dir, "slipway.yaml"), Bases: true, // of those that are not pinned, too
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range p.Unused {
			t.Errorf("%s: nothing uses %s %s", u.Pos, u.Kind, u.Name)
		}
	}
}

// TestUsedByRepository names the image of a base in the spellings of Docker Hub.
func TestUsedByRepository(t *testing.T) {
	const head = "apiVersion: slipway/v1\nname: a\nversion: 1.0.0\nplatforms: [linux/amd64]\n" +
		"sources: [{name: s, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}]\n" +
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile, context: .}}]\nbases: [{name: b, "
	digest := "@sha256:" + strings.Repeat("1", 64)
	for _, test := range []struct {
		base, from string
		unused     int
	}{
		{"images: {linux/amd64: 'docker.io/library/debian:12" + digest + "'}", "debian", 0},
		{"images: {linux/amd64: 'docker.io/library/debian:12" + digest + "'}", "docker.io/debian:12", 0},
		{"images: {linux/amd64: 'docker.io/library/debian:12" + digest + "'}", "other/debian:12", 1},
		{"images: {linux/amd64: 'debian:12" + digest + "'}", "index.docker.io/library/debian:12", 0},
		{"images: {linux/amd64: 'me/debian:12" + digest + "'}", "docker.io/me/debian:12", 0},
		{"images: {linux/amd64: 'me/debian:12" + digest + "'}", "debian:12", 1},
		{"builtin: static, inPlaceOf: ['debian:12']", "debian", 0},
		{"builtin: static, inPlaceOf: ['debian:12']", "docker.io/library/debian:12", 0},
		{"builtin: static, inPlaceOf: ['docker.io/library/debian:latest']", "debian", 0},
		{"builtin: static, inPlaceOf: ['registry.example/debian:1']", "registry.example/debian:1", 0},
		{"builtin: static, inPlaceOf: ['registry.example/debian:1']", "debian", 1},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"slipway.yaml": head + test.base + "}]\n", "Dockerfile": "FROM " + test.from + "\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, "slipway.yaml"), Bases: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Unused) != test.unused {
			t.Errorf("%s and FROM %s: unused %v", test.base, test.from, p.Unused)
		}
	}
}
