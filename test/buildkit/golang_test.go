//go:build linux

package buildkit

import (
	"archive/tar"
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	layers "github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// golangs are stand-ins for the images golang, by architecture.
type golangs map[string]standIn

// newGolangs makes stand-ins of the Go toolchain of this machine, with the standard library that a
// program needs which imports nothing, and a shell. Their configuration is golang's. The go command
// for arm64 is that of this machine, too, and compiles for arm64, as that of such an image does.
//
// Two settings are not golang's: nothing is downloaded, and programs are compiled as Slipway
// compiles them, with -trimpath, so that they have the same bytes. A package manager installs
// nothing.
func newGolangs(t *testing.T) golangs {
	t.Helper()
	tools := []string{"sh", "mkdir", "touch", "ln", "cp", "mv", "rm", "chmod", "cat", "cut"}
	machine := machine(t, "", tools...)
	toolchain, dir := toolchain(t), t.TempDir()
	all := golangs{}
	for _, arch := range []string{"amd64", "arm64"} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, dir := range []string{"go/", "go/bin/", "go/src/", "tmp/"} {
			must(t, w.WriteHeader(&tar.Header{Name: dir, Typeflag: tar.TypeDir, Mode: 0o1777}))
		}
		add := func(name string, mode int64, content string) {
			must(t,
				w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode, Size: int64(len(content))}))
			_, err := w.Write([]byte(content))
			must(t, err)
		}
		add("sbin/apk", 0o755, "#!/bin/sh\n")
		add("usr/local/go/go.env",
			0o644, "GOTOOLCHAIN=local\nGOPROXY=off\nGOSUMDB=off\nGOFLAGS=-trimpath -buildvcs=false\nGOARCH="+arch+"\n")
		must(t, w.Close())
		p := platform.Platform{OS: platform.Linux, Architecture: arch}
		img, err := mutate.AppendLayers(dockerfiletest.Image(t, machine, p),
			toolchain, layers.NewLayer(b.Bytes(), types.OCIUncompressedLayer))
		must(t, err)
		img, err = mutate.Config(img, v1.Config{
			Env: []string{
				"PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
				"GOTOOLCHAIN=local", "GOPATH=/go",
			},
			WorkingDir: "/go",
		})
		must(t, err)
		all[arch] = layoutIn(t, dir, img)
	}
	return all
}

var (
	fromLine = regexp.MustCompile(`(?im)^FROM\s+(--platform=\S+\s+)?(\S+)`)
	argLine  = regexp.MustCompile(`(?im)^ARG\s+(\w+)=(\S+)`)
)

// named are the images golang that a Dockerfile names, as BuildKit calls them, for a platform.
func (g golangs) named(source []byte, args map[string]string, p platform.Platform) map[string]standIn {
	defaults := map[string]string{}
	for _, m := range argLine.FindAllSubmatch(source, -1) {
		defaults[string(m[1])] = string(m[2])
	}
	found := map[string]standIn{}
	for _, m := range fromLine.FindAllSubmatch(source, -1) {
		name := os.Expand(string(m[2]), func(name string) string {
			if v, ok := args[name]; ok {
				return v
			}
			return defaults[name]
		})
		if !isGolang(name) {
			continue
		}
		arch := p.Architecture
		if len(m[1]) > 0 { // $BUILDPLATFORM, or that of this machine
			arch = "amd64"
		}
		found[familiar(name)] = g[arch]
	}
	return found
}

func isGolang(name string) bool { return strings.Contains(name, "golang") }
