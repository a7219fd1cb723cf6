package buildkit

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
	toolchain := toolchain(t)
	all := golangs{}
	for _, arch := range []string{"amd64", "arm64"} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, dir := range []string{"go/", "go/bin/", "go/src/", "tmp/"} {
			must(t, w.WriteHeader(&tar.Header{Name: dir, Typeflag: tar.TypeDir, Mode: 0o1777}))
		}
		add := func(name string, mode int64, content string) {
			must(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode, Size: int64(len(content))}))
			_, err := w.Write([]byte(content))
			must(t, err)
		}
		add("sbin/apk", 0o755, "#!/bin/sh\n")
		add("usr/local/go/go.env", 0o644, "GOTOOLCHAIN=local\nGOPROXY=off\nGOSUMDB=off\nGOFLAGS=-trimpath -buildvcs=false\nGOARCH="+arch+"\n")
		must(t, w.Close())
		p := platform.Platform{OS: platform.Linux, Architecture: arch}
		img, err := mutate.AppendLayers(dockerfiletest.Image(t, machine, p), layers.NewLayer(b.Bytes(), types.OCIUncompressedLayer), toolchain)
		must(t, err)
		img, err = mutate.Config(img, v1.Config{
			Env:        []string{"PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "GOTOOLCHAIN=local", "GOPATH=/go"},
			WorkingDir: "/go",
		})
		must(t, err)
		all[arch] = layoutOf(t, img)
	}
	return all
}

// toolchain is a layer with the go command, what it starts, the standard library, and what the go
// command keeps of it once it is compiled.
func toolchain(t *testing.T) v1.Layer {
	t.Helper()
	root := run(t, nil, "go", "env", "GOROOT")
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(file, name string) {
		info, err := os.Stat(file)
		must(t, err)
		content, err := os.ReadFile(file)
		must(t, err)
		must(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: int64(info.Mode().Perm()), Size: int64(len(content))}))
		_, err = w.Write(content)
		must(t, err)
	}
	files := []string{"VERSION", "src/go.mod", "src/go.sum", "src/vendor/modules.txt", "bin/go"}
	for _, name := range []string{"asm", "compile", "cover", "link"} {
		files = append(files, "pkg/tool/linux_amd64/"+name)
	}
	for _, f := range files {
		add(filepath.Join(root, f), "usr/local/go/"+f)
	}
	dirs := map[string]bool{filepath.Join(root, "pkg", "include"): true}
	cache := t.TempDir()
	main := filepath.Join(cache, "main.go")
	must(t, os.WriteFile(main, []byte("package main\n\nfunc main() { println() }\n"), 0o644))
	for _, on := range []string{"linux/amd64", "linux/arm64", "windows/amd64"} {
		goos, goarch, _ := strings.Cut(on, "/")
		env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0", "GOFLAGS=", "GOTOOLCHAIN=local", "GOCACHE=" + filepath.Join(cache, "go-build")}
		run(t, env, "go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(cache, "program"), main)
		for dir := range strings.Lines(run(t, env, "go", "list", "-deps", "-f", "{{.Dir}}", "runtime", "runtime/coverage", "testing", "testing/internal/testdeps")) {
			dirs[strings.TrimSpace(dir)] = true
		}
	}
	for dir := range dirs {
		entries, err := os.ReadDir(dir)
		must(t, err)
		for _, e := range entries {
			if rel, err := filepath.Rel(root, filepath.Join(dir, e.Name())); err == nil && e.Type().IsRegular() && !strings.HasSuffix(e.Name(), "_test.go") {
				add(filepath.Join(root, rel), path.Join("usr/local/go", filepath.ToSlash(rel)))
			}
		}
	}
	must(t, filepath.WalkDir(filepath.Join(cache, "go-build"), func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(cache, p)
		add(p, path.Join("root/.cache", filepath.ToSlash(rel)))
		return err
	}))
	must(t, w.Close())
	return layers.NewLayer(b.Bytes(), types.OCIUncompressedLayer)
}

// run runs a program in an empty directory and returns what it prints.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return strings.TrimSpace(string(out))
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

// golang returns that of an architecture.
func (g golangs) golang(t *testing.T, arch string) standIn {
	t.Helper()
	s, ok := g[arch]
	if !ok {
		t.Fatal(fmt.Errorf("there is no golang for %s", arch))
	}
	return s
}
