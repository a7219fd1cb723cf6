package ko

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	kobuild "github.com/google/ko/pkg/build"
	"github.com/google/ko/pkg/commands/options"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// module has two commands, one of them with data, and ko's settings.
var module = map[string]string{
	"go.mod": "module example.com/app\n\ngo 1.24\n",
	"cmd/app/main.go": "package main\n\nvar version, tag = \"none\", " +
		"mode\n\nfunc main() { println(version, tag) }\n",
	"cmd/app/plain.go":             "//go:build !special\n\npackage main\n\nconst mode = \"plain\"\n",
	"cmd/app/special.go":           "//go:build special\n\npackage main\n\nconst mode = \"special\"\n",
	"cmd/app/kodata/index.html":    "<h1>hello</h1>\n",
	"cmd/app/kodata/deep/a/b.txt":  "b\n",
	"cmd/app/kodata/deep/exec.sh":  "#!/bin/sh\n",
	"cmd/bare/main.go":             "package main\n\nfunc main() { println(\"bare\") }\n",
	"slipway.yaml":                 "", // filled in below
	".ko.yaml":                     koYAML,
	"config/for-the-loader.yaml":   "",
	"cmd/app/kodata/empty/.ignore": "",
}

const koYAML = `defaultLdflags: [-s, -w]
builds:
- id: app
  main: ./cmd/app
  flags: -tags=special
  env: [MODE=fast]
  ldflags:
  - -s -w
  - -X main.version={{.Env.MODE}}
`

const slipwayYAML = `apiVersion: slipway/v1
name: app
version: 1.0.0
platforms: [linux/amd64, "windows/amd64:ltsc2019"]
sources: [{name: app, directory: ., revision: abc, created: 2025-01-01T00:00:00Z}]
bases:
  - {name: linux, images: {linux/amd64: %q}}
  - {name: windows, images: {"windows/amd64:ltsc2019": %q}}
programs:
  - {name: app, source: app, package: ./cmd/app}
  - {name: bare, source: app, package: ./cmd/bare}
images:
  - {name: app, bases: {linux: linux, windows: windows}, go: {program: app}}
  - {name: bare, bases: {linux: linux, windows: windows}, go: {program: bare}}
release:
  templates: [{path: config}]
`

// pair is an image of ours and ko's, on one base.
type pair struct{ ours, kos, base v1.Image }

// images builds both commands for both systems with both tools.
func images(t *testing.T) map[string]pair {
	t.Helper()
	host := serve(t)
	bases := map[string]v1.Image{
		"linux/amd64": base(t, platform.Platform{OS: "linux", Architecture: "amd64"}, v1.Config{
			User: "65532", WorkingDir: "/home", Env: []string{"A=b", "PATH=/usr/bin:/bin"}, Cmd: []string{"sh"},
			Labels: map[string]string{"base": "linux"},
		}),
		"windows/amd64": base(t, platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.17763.8389"},
			v1.Config{
				User: "ContainerUser", Env: []string{`PATH=C:\Windows\system32;C:\Windows;`},
				Cmd: []string{`c:\windows\system32\cmd.exe`},
			}),
	}
	dir := write(t, fmt.Sprintf(slipwayYAML, push(t, host+"/linux:1", bases["linux/amd64"]),
		push(t, host+"/windows:1", bases["windows/amd64"])))

	ours := withSlipway(t, dir, host)
	kos := withKo(t, dir, bases)
	all := map[string]pair{}
	for key, img := range kos {
		_, on, _ := strings.Cut(key, " ")
		all[key] = pair{ours[key], img, bases[on]}
	}
	return all
}

// withSlipway returns images by "program os/architecture".
func withSlipway(t *testing.T, dir, host string) map[string]v1.Image {
	t.Helper()
	p, err := product.Load(t.Context(),
		product.Options{Path: filepath.Join(dir, product.File), Registries: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(filepath.Join(t.TempDir(), ".slipway"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := assemble.Build(t.Context(), p, assemble.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]v1.Image{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			if all[i.Name+" "+c.Platform.OS+"/"+c.Platform.Architecture], err = st.Image(c.Digest); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

func withKo(t *testing.T, dir string, bases map[string]v1.Image) map[string]v1.Image {
	t.Helper()
	t.Chdir(dir)
	// As ko's own command reads .ko.yaml.
	bo := &options.BuildOptions{WorkingDirectory: dir, Trimpath: true, DisableOptimizations: false, ConcurrentBuilds: 1}
	if err := bo.LoadConfig(); err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference("example.com/base")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]v1.Image{}
	for on, under := range bases {
		b, err := kobuild.NewGo(t.Context(), dir,
			kobuild.WithBaseImages(func(context.Context, string) (name.Reference, kobuild.Result, error) {
				return ref, under, nil
			}),
			kobuild.WithPlatforms("all"), kobuild.WithTrimpath(true), kobuild.WithDisabledSBOM(), kobuild.WithJobs(1),
			kobuild.WithConfig(bo.BuildConfigs), kobuild.WithDefaultEnv(bo.DefaultEnv),
			kobuild.WithDefaultFlags(bo.DefaultFlags), kobuild.WithDefaultLdflags(bo.DefaultLdflags),
		)
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range []string{"app", "bare"} {
			r, err := b.Build(t.Context(), "ko://example.com/app/cmd/"+program)
			if err != nil {
				t.Fatal(err)
			}
			img, ok := r.(v1.Image)
			if !ok {
				t.Fatalf("ko gives a %T", r)
			}
			all[program+" "+on] = img
		}
	}
	return all
}

func write(t *testing.T, slipway string) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range module {
		if file == "slipway.yaml" {
			text = slipway
		}
		p := filepath.Join(dir, filepath.FromSlash(file))
		mode := os.FileMode(0o644)
		if strings.HasSuffix(file, ".sh") {
			mode = 0o755
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("deep", filepath.Join(dir, "cmd", "app", "kodata", "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func base(t *testing.T, p platform.Platform, config v1.Config) v1.Image {
	t.Helper()
	l, err := random.Layer(1000, types.OCILayer)
	if err != nil {
		t.Fatal(err)
	}
	i, err := mutate.Append(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON), mutate.Addendum{Layer: l, MediaType: types.OCILayer})
	if err != nil {
		t.Fatal(err)
	}
	cf, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.OSVersion, cf.Config = p.OS, p.Architecture, p.OSVersion, config
	if i, err = mutate.ConfigFile(i, cf); err != nil {
		t.Fatal(err)
	}
	return i
}

func serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registrytest.Handler())
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// push pushes and returns the pinned reference.
func push(t *testing.T, tag string, i v1.Image) string {
	t.Helper()
	ref, err := name.ParseReference(tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, i); err != nil {
		t.Fatal(err)
	}
	h, err := i.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return tag + "@" + h.String()
}

// file is what an image has under a name.
type file struct {
	Type     byte
	Mode     int64
	UID, GID int
	Size     int64
	SHA256   string
	Link     string
	SD       string // the Windows security descriptor
}

// files returns the files of the layers above the base, and how many layers there are. Names have
// no slash at either end.
func files(t *testing.T, p pair, img v1.Image) (map[string]file, int) {
	t.Helper()
	under, err := p.base.Layers()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]file{}
	for _, l := range layers[len(under):] {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for tr := tar.NewReader(r); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.New()
			if _, err := io.Copy(sum, tr); err != nil {
				t.Fatal(err)
			}
			// on Windows we write the file's type above them, as Windows does
			const permissions = 0o7777
			f := file{
				h.Typeflag, h.Mode & permissions, h.Uid, h.Gid, h.Size,
				"", h.Linkname, h.PAXRecords["MSWINDOWS.rawsd"],
			}
			if h.Typeflag == tar.TypeReg {
				f.SHA256 = hex.EncodeToString(sum.Sum(nil))
			}
			all[strings.Trim(path.Clean(h.Name), "/")] = f
		}
	}
	return all, len(layers) - len(under)
}
