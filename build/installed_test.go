package build_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// TestInstalled lists the packages in an image whose files come out of a context, as a package
// manager would leave them, and what packages.lock.yaml has about them.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	sum, index := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	for name, text := range map[string]string{
		"slipway.yaml": `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64, linux/arm64]
sources: [{name: demo, directory: ., revision: none, created: 2025-01-01T00:00:00Z}]
images: [{name: demo, source: demo, dockerfile: {file: Dockerfile, context: root}}]
packages:
  skipScripts: [{package: curl, scripts: [postinst], reason: it needs a network}]
`,
		"packages.lock.yaml": `apiVersion: slipway/v1
repositories:
  - {name: bookworm, url: http://deb.example/debian, suite: bookworm, date: 2025-01-16T21:57:50Z, sha256: ` + index + `}
commands:
  - image: demo
    stage: "0"
    platform: linux/amd64
    command: apt-get install curl
    installed: ` + index + `
    packages:
      - {name: curl, version: "1:2", arch: all, from: bookworm, path: pool/curl.deb, size: 7, sha256: ` + sum + `}
      - {name: local, version: "1", arch: all, path: /local.deb, size: 7, sha256: ` + sum + `}
      - {name: gone, version: "1", arch: all, action: remove}
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
	amd64, _ := r.Inventory.Content(r.Images[0].Children[0].Digest)
	both := lock.Package{Type: lock.PackageDeb, Architecture: "all", Distribution: "debian", Release: "12"}
	base, curl := both, both
	base.Name, base.Version = "base", "1"
	curl.Name, curl.Version, curl.Licenses, curl.SHA256 = "curl", "1:2", "Apache-2.0", sum
	curl.URL = "http://deb.example/debian/pool/curl.deb"
	curl.Skipped = []lock.SkippedScripts{{Scripts: []string{"postinst"}, Reason: "it needs a network"}}
	if d := cmp.Diff([]lock.Package{base, curl}, amd64.Packages); d != "" {
		t.Errorf("packages (-want +got):\n%s", d)
	}
	var files []string
	for _, f := range amd64.Files {
		files = append(files, f.Path)
	}
	if d := cmp.Diff([]string{
		"/etc/os-release", "/usr/bin/other", "/usr/share/doc/curl/copyright", "/usr/share/doc/other/copyright",
		"/var/lib/dpkg/status",
	}, files); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if arm64, _ := r.Inventory.Content(r.Images[0].Children[1].Digest); arm64.Packages[1].SHA256 != "" {
		t.Errorf("the lock has nothing for linux/arm64, and the packages are %v", arm64.Packages)
	}
	var materials []string
	for _, m := range r.Materials {
		if strings.HasPrefix(m.URI, "pkg:deb/") || strings.Contains(m.URI, "InRelease") {
			materials = append(materials, m.URI+" "+m.SHA256)
		}
	}
	want := []string{
		"http://deb.example/debian/dists/bookworm/InRelease#2025-01-16T21:57:50Z " + index,
		"pkg:deb/debian/curl@1%3A2?arch=all&download_url=http%3A//deb.example/debian/pool/curl.deb " + sum,
		"pkg:deb/debian/local@1?arch=all&checksum=sha256%3A" + sum + " " + sum,
	}
	if !slices.Equal(materials, want) {
		t.Errorf("the materials are\n%s", strings.Join(materials, "\n"))
	}
}
