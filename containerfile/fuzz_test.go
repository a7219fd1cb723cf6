package containerfile_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// offline is a transport that keeps tests off the network.
type offline struct{}

func (offline) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("no network") }

// outside creates a file outside of a context that has links to it, and returns the
// digest of the data that must not be read.
func outside(tb testing.TB) (containerfile.Input, v1.Hash) {
	tb.Helper()
	dir := tb.TempDir()
	secret := []byte("kept outside the context\n")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "context", "dir"), 0o755),
		os.WriteFile(filepath.Join(dir, "secret"), secret, 0o644),
		os.WriteFile(filepath.Join(dir, "context", "a"), []byte("a\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "context", "dir", "b"), []byte("b\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "context", "go.mod"), []byte("module x\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "context", "main.go"), []byte("package main\n"), 0o644),
		os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "context", "absolute")),
		os.Symlink("../secret", filepath.Join(dir, "context", "upwards")),
		os.Symlink("../../..", filepath.Join(dir, "context", "dir", "above")),
		os.Symlink("/", filepath.Join(dir, "context", "root")),
		os.Symlink(dir, filepath.Join(dir, "context", "parent")),
		os.Symlink("loop", filepath.Join(dir, "context", "loop")),
	} {
		if err != nil {
			tb.Fatal(err)
		}
	}
	st, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		tb.Fatal(err)
	}
	digest, _, err := v1.SHA256(bytes.NewReader(secret))
	if err != nil {
		tb.Fatal(err)
	}
	return containerfile.Input{
		Context: filepath.Join(dir, "context"), Store: st,
		Client:   network.New(network.Options{Transport: offline{}, Wait: time.Microsecond}),
		Contexts: map[string]containerfile.Context{"other": {Dir: filepath.Join(dir, "context", "dir")}},
	}, digest
}

// TestStaysInContext tries ways to read outside of a context. A source path that leads
// out must be resolved inside.
func TestStaysInContext(t *testing.T) {
	in, secret := outside(t)
	for _, src := range []string{
		"../secret", "dir/../../secret", "/../secret", "absolute", "upwards", "dir/above/secret", "root/../secret",
		"parent/secret", "*/secret", "dir/*/secret", "loop", "loop/x", "--from=other above/secret", "--from=other ../a",
		"--parents ../secret",
		"..", ".", "root", "parent", "--parents **",
	} {
		in.Source = []byte("FROM scratch\nCOPY " + src + " /x/\n")
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		r, err := containerfile.Build(t.Context(), in)
		t.Logf("%s: %v", src, err)
		checkEntries(t, r, secret)
	}
}

func checkEntries(t *testing.T, r containerfile.Result, secret v1.Hash) {
	t.Helper()
	for _, l := range r.Layers {
		if len(l.Entries) == 0 {
			t.Errorf("the layer of %s is empty", l.CreatedBy)
		}
		for _, e := range l.Entries {
			if !path.IsAbs(e.Path) || path.Clean(e.Path) != e.Path || e.Path == "/" {
				t.Errorf("path %q is not absolute and clean", e.Path)
			}
			if e.Type == layer.Regular && e.Content.Digest == secret {
				t.Errorf("%s comes from outside the context", e.Path)
			}
		}
	}
}

func FuzzBuild(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if file.Name == "Dockerfile" {
				f.Add(file.Data, true)
				f.Add(file.Data, false)
			}
		}
	}
	f.Add([]byte("FROM golang AS b\nCOPY . /src/\nRUN --mount=target=/m apk add x && cd /src && "+
		"X=1 go build -o /out/${X#1} . && cp /m/a /out/\nFROM x\nCOPY --from=b /out /\n"), false)
	f.Add([]byte("FROM x\nRUN curl -o /x https://a.example/x && echo "+
		"\"0000000000000000000000000000000000000000000000000000000000000000  /x\" | sha256sum -c && tar xf /x\n"),
		false)
	f.Add([]byte("FROM scratch\nCOPY a.zip /\nRUN unzip -o a.zip -d /x && tar xf a.zip --strip-components 1 -C /x\n"),
		true)
	f.Add(
		[]byte("FROM golang:1 AS b\nCOPY . /src\nRUN --mount=target=/m cd /src && for f in */*; "+
			"do [ -f $f ] && (cd /m; cp a /out) || { cat $f; echo; } > /x; done; touch $(cat /x)\nFROM "+
			"x\nCOPY --from=b /x /\nRUN [ -d /usr ] && ! [ -s /etc/passwd ] || rm -rf /usr\n"), false)
	f.Add(
		[]byte("FROM x\nSHELL [\"powershell\", \"-Command\"]\nCOPY . C:\\\\a\\\\\nRUN mkdir 'C:\\b'; "+
			"Copy-Item C:\\a\\* b -Recurse; Move-Item b\\d*, b\\a c -Force; "+
			"Rename-Item a x; Remove-Item -Recurse C:\\a | Out-Null; Expand-Archive a.zip b\n"), true)
	f.Add([]byte("FROM x\nCOPY --from=x / /\nCOPY --link . /bin/\nADD root parent /\n"), false)
	in, secret := outside(f)
	spec := []byte("config {\"OnBuild\":[\"COPY . /\"]}\nlayer\ndir 755 0:0 usr/bin\nlink bin " +
		"usr/bin\nfile 644 0:0 etc/passwd \"a:x:1:2::/:\\n\"\n")
	images := map[string]v1.Image{}
	for _, os := range []string{"linux", "windows"} {
		images[os] = dockerfiletest.Image(f, spec, platform.Platform{OS: os, Architecture: "amd64"})
	}
	in.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
		if name != "x" || images[p.OS] == nil {
			return base.Base{}, errors.New("there is only x")
		}
		return base.Base{Image: images[p.OS]}, nil
	}
	in.Compiler = containerfile.Compiler{
		Check: func(containerfile.GoBuild) error { return nil },
		File: func(context.Context, containerfile.GoBuild) (layer.Content, error) {
			return layer.Bytes([]byte("program")), nil
		},
	}
	f.Fuzz(func(t *testing.T, source []byte, windows bool) {
		in := in
		in.Source = source
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		if windows {
			in.Platform = platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348"}
		}
		r, err := containerfile.Build(t.Context(), in)
		if err == nil {
			checkEntries(t, r, secret)
		}
	})
}

// FuzzArchive unpacks arbitrary bytes with ADD and reads them as a layer of a base.
func FuzzArchive(f *testing.F) {
	for _, name := range []string{"tarball", "fromimage", "windowsimage"} {
		a, err := txtar.ParseFile("testdata/" + name + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if lines, ok := bytes.CutPrefix(file.Data, []byte("layer\n")); ok || path.Dir(file.Name) == "tars" {
				f.Add(dockerfiletest.Tar(f, lines))
			}
		}
	}
	f.Add(zipped(f, "dir/", `dir\file.exe`, "../outside", "dir"))
	in, secret := outside(f)
	f.Fuzz(func(t *testing.T, archive []byte) {
		in := in
		st, err := store.Open(t.TempDir()) // a new store, because results for a base are cached by its digest
		must(t, err)
		in.Store = st
		must(t, os.WriteFile(filepath.Join(in.Context, "dir", "archive"), archive, 0o644))
		l := static.NewLayer(archive, types.OCIUncompressedLayer)
		for _, os := range []string{"linux", "windows"} {
			img, err := mutate.AppendLayers(dockerfiletest.Image(t, nil,
				platform.Platform{OS: os, Architecture: "amd64"}), l)
			must(t, err)
			in.Platform = platform.Platform{OS: os, Architecture: "amd64"}
			in.Base = func(context.Context, string, platform.Platform) (base.Base, error) {
				return base.Base{Image: img}, nil
			}
			for _, source := range []string{
				"FROM scratch\nADD dir/archive /\nADD dir/archive /x/\n",
				"FROM scratch\nADD --unpack=true dir/archive /\nADD --unpack=true dir/archive /x/\n",
				"FROM base\nCOPY a /usr/bin/\nCOPY a /bin/a\nWORKDIR /etc/x\nADD dir/archive /\nFROM " +
					"scratch\nCOPY --from=base / /\n",
			} {
				in.Source = []byte(source)
				r, err := containerfile.Build(t.Context(), in)
				if err == nil {
					checkEntries(t, r, secret)
				}
			}
		}
	})
}
