package base_test

import (
	"archive/tar"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestStatic compares the configuration and files of the built-in Linux base
// with a golden file.
func TestStatic(t *testing.T) {
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{Name: "static", Builtin: "static"}}}
	b := resolve(t, p, "static", "linux/amd64")
	if err := validate.Image(b.Image); err != nil {
		t.Error(err)
	}
	if b.Platform.String() != "linux/amd64" || b.Info.Name != "builtin:static" || b.Info.Stub ||
		b.Info.Digest != digest(t, b.Image) {
		t.Errorf("the base is %+v, %+v", b.Platform, b.Info)
	}
	listing, content := files(t, b.Image)
	var rest strings.Builder
	for line := range strings.Lines(listing) {
		if !strings.Contains(line, " usr/share/zoneinfo/") { // TestDebian compares these
			rest.WriteString(line)
		}
	}
	golden.Compare(t, *update, "testdata/static.golden", config(t, b.Image)+rest.String())

	roots := content["etc/ssl/certs/ca-certificates.crt"]
	n := 0
	for rest := roots; ; n++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if !c.IsCA {
			t.Errorf("%s is no certificate authority", c.Subject)
		}
	}
	if n < 100 || !x509.NewCertPool().AppendCertsFromPEM(roots) {
		t.Errorf("there are %d roots", n)
	}
	if !strings.Contains(string(content["etc/passwd"]), "nonroot:x:65532:65532:") ||
		!strings.Contains(string(content["etc/group"]), "nonroot:x:65532:") {
		t.Error("nonroot is missing")
	}

	// static-root has the same files, but another user and working directory.
	p.Bases = append(p.Bases, product.Base{Name: "root", Builtin: "static-root"})
	root := resolve(t, p, "root", "linux/amd64")
	cf, err := root.Image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if rootFiles, _ := files(t, root.Image); rootFiles != listing || cf.Config.User != "0" ||
		cf.Config.WorkingDir != "/" || root.Info.Name != "builtin:static-root" {
		t.Errorf("static-root is %+v, %+v", root.Info, cf.Config)
	}

	// Another architecture has the same files in another image; another
	// store has the same image.
	arm := resolve(t, p, "static", "linux/arm64")
	if armFiles, _ := files(t, arm.Image); armFiles != listing || digest(t, arm.Image) == digest(t, b.Image) {
		t.Error("linux/arm64 has other files, or the same image")
	}
	if again := resolve(t, p, "static", "linux/amd64"); digest(t, again.Image) != digest(t, b.Image) {
		t.Error("a second time gives another base")
	}
}

// TestInPlaceOf resolves a reference that a built-in base takes the place of, for Linux alone.
func TestInPlaceOf(t *testing.T) {
	const nonroot = "gcr.io/distroless/static:nonroot"
	p := &product.Product{
		Path:  "slipway.yaml",
		Bases: []product.Base{{Name: "static", Builtin: "static", InPlaceOf: []name.Reference{reference(t, nonroot)}}},
	}
	for _, tc := range []struct{ name, on, want string }{
		{nonroot, "linux/amd64", "builtin:static"},
		{nonroot + "-arm64", "linux/amd64", nonroot + "-arm64"},
		{"gcr.io/distroless/static", "linux/amd64", "gcr.io/distroless/static"},
		{nonroot, "windows/amd64:ltsc2022", nonroot},
	} {
		b := resolve(t, p, tc.name, tc.on)
		if b.Info.Name != tc.want || b.Info.Stub != (tc.want != "builtin:static") ||
			(b.Demand == nil) != (tc.want == "builtin:static") {
			t.Errorf("%s for %s is %+v, demand %v", tc.name, tc.on, b.Info, b.Demand)
		}
	}
}

// TestInPlaceOfDigest resolves a reference with a digest that another image takes the place of.
func TestInPlaceOfDigest(t *testing.T) {
	old := "registry.example/base:1@sha256:" + strings.Repeat("a", 64)
	image := product.BaseImage{Reference: reference(t, "mirror.example/base:2"), Tag: "2"}
	image.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{
		Name: "base", Images: []product.BaseImage{image}, InPlaceOf: []name.Reference{reference(t, old)},
	}}}
	for n, want := range map[string]string{old: "mirror.example/base:2", "registry.example/base:1": "registry.example/base:1"} {
		if b := resolve(t, p, n, "linux/amd64"); b.Info.Name != want {
			t.Errorf("%s is %+v, want %s", n, b.Info, want)
		}
	}
}

func TestScratch(t *testing.T) {
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{Name: "none", Builtin: "scratch"}}}
	for _, name := range []string{"scratch", "none"} {
		for on, version := range map[string]string{
			"linux/amd64": "", "windows/amd64:ltsc2022": "10.0.20348.1",
			"windows/amd64:10.0.17763.8389": "10.0.17763.8389",
		} {
			b := resolve(t, p, name, on)
			if b.Image != nil || b.Info != nil || b.Platform.OSVersion != version {
				t.Errorf("%s on %s is %+v, want no image and version %q", name, on, b, version)
			}
		}
	}
}

// TestStub compares the stub base that replaces a registry's base in a
// snapshot with a golden file.
func TestStub(t *testing.T) {
	const nano = "mcr.microsoft.com/windows/nanoserver:ltsc2022@sha256:580b7fa4040be7b47d79c25fb73e3d6da2e68f32b95d9d4dfb70bde33564fc4a"
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{Name: "nano", Images: []product.BaseImage{
		{Platform: parse(t, "windows/amd64:ltsc2022"), Reference: reference(t, nano)},
	}}}}
	for _, tc := range []struct{ golden, name, on, version string }{
		{"stub-windows.golden", "nano", "windows/amd64:ltsc2022", "10.0.20348.1"},
		{"stub-revision.golden", "nano", "windows/amd64:10.0.20348.2113", "10.0.20348.2113"},
		{"stub-linux.golden", "example.com/busybox:1", "linux/arm64", ""},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			b := resolve(t, p, tc.name, tc.on)
			if err := validate.Image(b.Image); err != nil {
				t.Error(err)
			}
			if !b.Info.Stub || b.Info.Digest != digest(t, b.Image) || b.Platform.OSVersion != tc.version {
				t.Errorf("the base is %+v, %+v", b.Platform, b.Info)
			}
			cf, err := b.Image.ConfigFile()
			if err != nil || cf.Config.Labels[base.StubLabel] != b.Info.Name || cf.OSVersion != tc.version {
				t.Errorf("the configuration is %+v (%v)", cf, err)
			}
			listing, content := files(t, b.Image)
			var text strings.Builder
			for _, name := range slices.Sorted(maps.Keys(content)) {
				text.Write(content[name])
			}
			golden.Compare(t, *update, "testdata/"+tc.golden, config(t, b.Image)+listing+text.String())
		})
	}
}

func TestUnknown(t *testing.T) {
	p := &product.Product{
		Path: "dir/slipway.yaml",
		Bases: []product.Base{{Name: "static", Builtin: "static"}, {Name: "nano", Images: []product.BaseImage{
			{
				Platform:  parse(t, "windows/amd64:ltsc2022"),
				Reference: reference(t, "example.com/nano@sha256:"+strings.Repeat("0", 64)),
			},
		}}},
	}
	r := base.Resolver{Bases: p.Bases, File: p.Path, Snapshot: p.Snapshot(), Store: storetest.Open(t), Client: client}
	for _, tc := range []struct{ name, on, says string }{
		{"static", "windows/amd64:ltsc2022", "base static for windows/amd64:ltsc2022: it is for Linux: " +
			"name another for windows, or take it --platform=linux/amd64 for its files"},
		{"nano", "windows/amd64:ltsc2019", "dir/slipway.yaml names no image for this platform: add one under bases"},
		{"nano", "linux/amd64", "base nano for linux/amd64: dir/slipway.yaml names no image"},
		{"Not A Reference", "linux/amd64", "neither a base of dir/slipway.yaml nor an image reference"},
		{"", "linux/amd64", "neither a base"},
	} {
		if _, err := r.Resolve(t.Context(), tc.name, parse(t, tc.on)); err == nil ||
			!strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s on %s gives %v, want %q", tc.name, tc.on, err, tc.says)
		}
	}
}

func resolve(t *testing.T, p *product.Product, name, on string) base.Base {
	t.Helper()
	r := base.Resolver{Bases: p.Bases, File: p.Path, Snapshot: p.Snapshot(), Store: storetest.Open(t), Client: client}
	b, err := r.Resolve(t.Context(), name, parse(t, on))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parse(t *testing.T, s string) platform.Platform {
	t.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func digest(t *testing.T, i v1.Image) v1.Hash {
	t.Helper()
	h, err := i.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// config returns the configuration as indented JSON. It omits the digests of layers,
// which change with every edition of the root certificates.
func config(t *testing.T, i v1.Image) string {
	t.Helper()
	cf, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.RootFS.DiffIDs = nil
	b, err := json.MarshalIndent(cf, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// files returns a listing of an image's files, and their contents.
func files(t *testing.T, i v1.Image) (string, map[string][]byte) {
	t.Helper()
	r := mutate.Extract(i)
	defer r.Close()
	var s strings.Builder
	content := map[string][]byte{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return s.String(), content
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%c %04o %d:%d %s %s\n", h.Typeflag, h.Mode, h.Uid, h.Gid, h.ModTime.UTC().Format(time.RFC3339),
			h.Name)
		if h.Typeflag == tar.TypeReg {
			if content[h.Name], err = io.ReadAll(tr); err != nil {
				t.Fatal(err)
			}
		}
	}
}
