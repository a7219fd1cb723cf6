//go:build linux

package explore

import (
	"archive/tar"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// shared is a directory for what all walks need.
var shared string

func TestMain(m *testing.M) {
	extent.Suite("some minutes")
	flag.Set("rapid.nofailfile", "true") //nolint:errcheck // it is a flag of rapid
	code := func() int {
		dir, err := os.MkdirTemp("", "explore-shared-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer remove(dir)
		shared = dir
		return m.Run()
	}()
	os.Exit(code)
}

// remove removes a directory, also if it has a module cache, whose directories are read-only.
func remove(dir string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { //nolint:errcheck // of a test
		if err == nil && e.IsDir() {
			return os.Chmod(path, 0o755) //nolint:gosec // as above
		}
		return err
	})
	os.RemoveAll(dir)
}

// command is the path of the slipway command.
var command = sync.OnceValue(func() string {
	path, err := testprog.Slipway(context.Background(), shared)
	if err != nil {
		panic(err)
	}
	return path
})

// goEnv are the caches of the go command, which all walks share.
var goEnv = sync.OnceValue(func() []string {
	var env []string
	for _, name := range []string{"GOCACHE", "GOTOOLCHAIN"} {
		out, err := exec.CommandContext(context.Background(), "go", "env", name).Output()
		if err != nil {
			panic(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
})

var programs sync.Map

// prebuilt compiles a program for a platform, linux-armv7.
func prebuilt(t interface{ Fatal(args ...any) }, on string) []byte {
	if data, ok := programs.Load(on); ok {
		return data.([]byte)
	}
	os_, arch, _ := strings.Cut(on, "-")
	dir := filepath.Join(shared, on)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(mainText), 0o600))
	cmd := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w", "-o", "program", "main.go")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+os_, "CGO_ENABLED=0", "GOARCH="+strings.TrimSuffix(arch, "v7"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	data, err := os.ReadFile(filepath.Join(dir, "program"))
	must(t, err)
	programs.Store(on, data)
	return data
}

// archive is a tar with a program.
func archive(t interface{ Fatal(args ...any) }, program []byte) []byte {
	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	must(t,
		tw.WriteHeader(&tar.Header{Name: "dir/program", Typeflag: tar.TypeReg, Size: int64(len(program)), Mode: 0o755}))
	_, err := tw.Write(program)
	must(t, err)
	must(t, tw.Close())
	return b.Bytes()
}

// pushBases pushes the bases and the third-party image that products name.
func pushBases(host string) error {
	windows := map[string]string{"ltsc2022": "10.0.20348.4711", "ltsc2025": "10.0.26100.1234"}
	linux := []v1.Platform{
		{OS: "linux", Architecture: "amd64"},
		{OS: "linux", Architecture: "arm64"},
		{OS: "linux", Architecture: "arm", Variant: "v7"},
	}
	push := map[string][]v1.Platform{"base/linux:1": linux, pause: linux}
	for release, version := range windows {
		for _, base := range []string{"nanoserver", "servercore"} {
			push["base/"+base+":"+release] = []v1.Platform{{OS: "windows", Architecture: "amd64", OSVersion: version}}
		}
	}
	push["base/hostprocess:v1.0.0"] = []v1.Platform{{
		OS: "windows", Architecture: "amd64",
		OSVersion: windows["ltsc2022"],
	}}
	for at, platforms := range push {
		index := mutate.IndexMediaType(empty.Index, types.DockerManifestList)
		for _, p := range platforms {
			img, err := base(p)
			if err != nil {
				return err
			}
			index = mutate.AppendManifests(index,
				mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &p}})
		}
		if err := pushIndex(host+"/"+at, index); err != nil {
			return err
		}
		if at != pause {
			continue
		}
		// as tools make them that put an index together from tags, and with another platform
		for at, on := range map[string]*v1.Platform{nested: nil, lying: {OS: "linux", Architecture: "s390x"}} {
			outer := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.DockerManifestList),
				mutate.IndexAddendum{Add: index, Descriptor: v1.Descriptor{Platform: on}})
			if err := pushIndex(host+"/"+at, outer); err != nil {
				return err
			}
		}
	}
	return nil
}

// The third-party images: an index, the same in another index, and in one that says that it is for
// another platform.
const pause, nested, lying = "third/pause:1", "third/nested:1", "third/lying:1"

func pushIndex(at string, i v1.ImageIndex) error {
	ref, err := name.NewTag(at)
	if err != nil {
		return err
	}
	return remote.WriteIndex(ref, i)
}

// base is an image with one file.
func base(p v1.Platform) (v1.Image, error) {
	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	file := "etc/base-of-" + p.Architecture
	if p.OS == "windows" {
		file = "Files/Windows/base"
	}
	if err := tw.WriteHeader(&tar.Header{Name: file, Typeflag: tar.TypeReg, Size: 4, Mode: 0o644}); err != nil {
		return nil, err
	}
	if _, err := tw.Write([]byte("base")); err != nil {
		return nil, err
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	})
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	cf, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.Variant, cf.OSVersion = p.OS, p.Architecture, p.Variant, p.OSVersion
	return mutate.ConfigFile(img, cf)
}
