//go:build linux

package buildkit

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	layers "github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// toolchain is a layer with the go command, what it starts, the standard library that a program
// needs which imports nothing, and what the go command keeps of it once it is compiled. The layer
// is made once for a version of Go.
func toolchain(t *testing.T) v1.Layer {
	t.Helper()
	version, err := run(t.Context(), t.TempDir(), nil, "env", "GOVERSION")
	must(t, err)
	file, err := cache.Program(t.Context(), "buildkit-golang-"+version, "toolchain.tar", writeToolchain)
	must(t, err)
	b, err := os.ReadFile(file)
	must(t, err)
	return layers.NewLayer(b, types.OCIUncompressedLayer)
}

// writeToolchain writes toolchain.tar into a directory.
func writeToolchain(ctx context.Context, work string) error {
	root, err := run(ctx, work, nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(work, "toolchain.tar"))
	if err != nil {
		return err
	}
	defer out.Close()
	a := archived{w: tar.NewWriter(out)}
	dirs := map[string]bool{filepath.Join(root, "pkg", "include"): true, filepath.Join(root, "src", "runtime", "cgo"): true} // of headers
	for _, on := range []string{"linux/amd64", "linux/arm64", "windows/amd64"} {
		goos, goarch, _ := strings.Cut(on, "/")
		env := []string{
			"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0", "GOFLAGS=-trimpath",
			"GOCACHE=" + filepath.Join(work, "go-build"),
		}
		if _, err := run(ctx, work, env, "build", "runtime"); err != nil {
			return err
		}
		list, err := run(ctx, work, env, "list", "-deps", "-f", "{{.Dir}}", "runtime")
		if err != nil {
			return err
		}
		for dir := range strings.Lines(list) {
			dirs[strings.TrimSpace(dir)] = true
		}
	}
	for _, f := range []string{"VERSION", "src/go.mod", "src/go.sum", "src/vendor/modules.txt", "bin/go"} {
		a.add(filepath.Join(root, f), "usr/local/go/"+f)
	}
	for _, name := range []string{"asm", "compile", "link"} {
		a.add(filepath.Join(root, "pkg", "tool", "linux_amd64", name), "usr/local/go/pkg/tool/linux_amd64/"+name)
	}
	for dir := range dirs {
		rel, err := filepath.Rel(root, dir)
		a.all(dir, path.Join("usr/local/go", filepath.ToSlash(rel)), false)
		a.err = errors.Join(a.err, err)
	}
	a.all(filepath.Join(work, "go-build"), "root/.cache/go-build", true)
	return errors.Join(a.err, a.w.Close(), out.Close())
}

// archived is a tar that is written from files.
type archived struct {
	w   *tar.Writer
	err error
}

// all adds the files of a directory, but for tests.
func (a *archived) all(dir, name string, deep bool) {
	a.err = errors.Join(a.err, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != dir && !deep:
			return filepath.SkipDir
		case e.Type().IsRegular() && !strings.HasSuffix(p, "_test.go"):
			a.add(p, path.Join(name, filepath.ToSlash(strings.TrimPrefix(p, dir))))
		}
		return nil
	}))
}

func (a *archived) add(file, name string) {
	f, err := os.Open(file)
	if err != nil {
		a.err = errors.Join(a.err, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = a.w.WriteHeader(&tar.Header{
			Name: name, Typeflag: tar.TypeReg, Mode: int64(info.Mode().Perm()),
			Size: info.Size(),
		})
	}
	if err == nil {
		_, err = io.Copy(a.w, f)
	}
	a.err = errors.Join(a.err, err)
}

// run runs the go command in a directory outside of every module, and returns what it prints.
func run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOTOOLCHAIN=local"), env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}
	return strings.TrimSpace(string(out)), nil
}
