package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/product"
)

// loop is a product of which one line of a program changes before each run.
type loop struct {
	product string // its slipway.yaml
	module  string // the directory of the program's module
	command string // its package, relative to that
	systems []string
	edits   int
}

// edit changes a line of the program. Its text differs each time, so that no cache has it.
func (l *loop) edit() error {
	l.edits++
	text := fmt.Sprintf("package main\n\nimport \"os\"\n\nfunc init() { os.Setenv(\"EDIT\", \"%d\") }\n", l.edits)
	return os.WriteFile(filepath.Join(l.module, l.command, "edited.go"), []byte(text), 0o644)
}

// innerHello measures the example hello, and innerKpack kpack.
func (b *bench) innerHello(ctx context.Context) error {
	dir := filepath.Join(b.tmp, "hello")
	if err := os.CopyFS(dir, os.DirFS("examples/hello")); err != nil {
		return err
	}
	l := &loop{
		product: filepath.Join(dir, product.File), module: dir, command: "cmd/hello",
		systems: []string{"linux", "windows"},
	}
	return b.inner(ctx, "hello, for four platforms", l)
}

func (b *bench) innerKpack(ctx context.Context) error {
	p, err := product.Load(ctx, product.Options{Path: b.product})
	if err != nil {
		return err
	}
	trees, err := assemble.Sources(ctx, p)
	if err != nil {
		return err
	}
	dir := filepath.Join(b.tmp, "kpack")
	for from, to := range map[string]string{
		trees["kpack"].Dir: "source", filepath.Join(p.Dir, "dockerfiles"): "dockerfiles",
		filepath.Join(p.Dir, "overlays"): "overlays",
	} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			return err
		}
	}
	for _, f := range []string{product.File, product.BasesLock, "images.txt"} {
		text, err := os.ReadFile(filepath.Join(p.Dir, f))
		if err != nil {
			return err
		}
		// a module is fixed by its hash; a directory may be edited
		text = regexp.MustCompile(
			`(?m)^    module: github.com/pivotal/kpack@.*\n    sum: .*\n    goModSum: .*$`).ReplaceAll(text,
			[]byte("    directory: source"))
		if err := os.WriteFile(filepath.Join(dir, f), text, 0o644); err != nil {
			return err
		}
	}
	l := &loop{
		product: filepath.Join(dir, product.File), module: filepath.Join(dir, "source"),
		command: "cmd/controller", systems: []string{"linux"},
	}
	return b.inner(ctx, "kpack, for four platforms", l)
}

// inner compares a release after a line of one program has changed with what compiles that program
// alone, and with ko, which makes an image of it for Linux.
func (b *bench) inner(ctx context.Context, what string, l *loop) error {
	store, out := filepath.Join(b.tmp, filepath.Base(l.module)+"-store"),
		filepath.Join(b.tmp, filepath.Base(l.module)+"-dist")
	ways := []method{{"slipway release", [][]string{{
		b.slipway, "release", "-q", "-binary=false",
		"-product", l.product, "-store", store, "-out", out,
	}}}}
	alone := method{name: "go build of that program, for " + strings.Join(l.systems, " and ")}
	for _, system := range l.systems {
		alone.commands = append(alone.commands, []string{
			"env", "-C", l.module, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOARCH=amd64", "GOOS=" + system,
			"go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w",
			"-o", filepath.Join(b.tmp, "alone-"+system), "./" + l.command,
		})
	}
	ways = append(ways, alone)
	if _, err := exec.LookPath(b.ko); err == nil { // else a row less
		base, stop, err := loopbackBase()
		if err != nil {
			return err
		}
		defer stop()
		ways = append(ways, method{"ko build -push=false of that program, for linux", [][]string{{
			"env", "-C", l.module, "GOWORK=off", "GOFLAGS=", "KO_DEFAULTBASEIMAGE=" + base, "KO_DOCKER_REPO=" +
				strings.TrimSuffix(base, "/base:latest") + "/out", "KOCACHE=" + filepath.Join(b.tmp, "kocache"),
			b.ko, "build", "--push=false", "--sbom=none", "--platform=linux/amd64", "./" + l.command,
		}}})
	}
	all, err := alternately(ctx, l.edit, ways...)
	if err != nil {
		return err
	}
	b.found(comparison{title: "A line of a program changed: " + what, ours: all[0], other: all[1:]})
	where, err := stages("Where that time goes: "+what, store)
	if err == nil {
		b.found(where)
	}
	return err
}

// loopbackBase serves an empty base for linux/amd64.
func loopbackBase() (reference string, stop func(), err error) {
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	img, err := mutate.ConfigFile(empty.Image,
		&v1.ConfigFile{OS: "linux", Architecture: "amd64", RootFS: v1.RootFS{Type: "layers"}})
	if err != nil {
		s.Close()
		return "", nil, err
	}
	ref, err := name.ParseReference(strings.TrimPrefix(s.URL, "http://") + "/base:latest")
	if err == nil {
		err = remote.Write(ref, img)
	}
	if err != nil {
		s.Close()
		return "", nil, err
	}
	return ref.Name(), s.Close, nil
}
