package assemble_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// TestInstalled lists the packages in an image whose files come out of a context, as a package
// manager would leave them.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"slipway.yaml": `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: demo, directory: ., revision: none, created: 2025-01-01T00:00:00Z}]
images: [{name: demo, source: demo, dockerfile: {file: Dockerfile, context: root}}]
`,
		"Dockerfile": "FROM scratch\nCOPY etc /etc/\nCOPY . /\n",
		"root/var/lib/dpkg/status": "Package: curl\nStatus: install ok installed\nVersion: 1:2\nArchitecture: all\n\n" +
			"Package: base\nStatus: install ok installed\nVersion: 1\nArchitecture: all\n",
		"root/var/lib/dpkg/info/curl.list":   "/.\n/usr\n/usr/bin\n/usr/bin/curl\n/etc/curlrc\n",
		"root/var/lib/dpkg/info/base.list":   "/etc\n",
		"root/etc/os-release":                "ID=debian\nVERSION_ID=12\n",
		"root/etc/curlrc":                    "conffile",
		"root/usr/bin/curl":                  "program",
		"root/usr/bin/other":                 "other",
		"root/usr/share/doc/curl/copyright":  "/usr/share/common-licenses/Apache-2.0\n",
		"root/usr/share/doc/other/copyright": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, product.File)})
	if err != nil {
		t.Fatal(err)
	}
	r := result(t, p, storetest.Open(t))
	content, _ := r.Inventory.Content(r.Images[0].Children[0].Digest)
	both := lock.Package{Type: lock.PackageDeb, Architecture: "all", Distribution: "debian", Release: "12"}
	base, curl := both, both
	base.Name, base.Version = "base", "1"
	curl.Name, curl.Version, curl.Licenses = "curl", "1:2", "Apache-2.0"
	if d := cmp.Diff([]lock.Package{base, curl}, content.Packages); d != "" {
		t.Errorf("packages (-want +got):\n%s", d)
	}
	var files []string
	for _, f := range content.Files {
		files = append(files, f.Path)
	}
	if d := cmp.Diff([]string{
		"/etc/curlrc", "/etc/os-release", "/usr/bin/curl", "/usr/bin/other", "/usr/share/doc/curl/copyright",
		"/usr/share/doc/other/copyright", "/var/lib/dpkg/info/base.list", "/var/lib/dpkg/info/curl.list",
		"/var/lib/dpkg/status",
	}, files); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}
