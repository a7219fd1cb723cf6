package buildkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// apart are the shapes of repositories that BuildKit cannot build here.
var apart = map[string]string{
	"backup":      "its stage compiles on golang, which only a registry has",
	"controller":  "its stage compiles on golang, which only a registry has",
	"hostprocess": "its stage compiles on golang, which only a registry has",
	"workflows":   "its stage compiles on golang, which only a registry has",
	"trust":       "its stage compiles on golang, which only a registry has",
	"packages":    "it installs packages, which only a registry and a mirror have",
	"runtime":     "its RUN needs a shell, which only a registry has",
	"network":     "its base is not known",
}

// TestAdoption takes the repositories of which package draft tests what init writes. Slipway builds
// what that slipway.yaml says, and BuildKit upstream's Dockerfile, with the programs where the
// project's own build puts them.
func TestAdoption(t *testing.T) {
	testprog.Need(t, "buildkit")
	files, err := filepath.Glob("../../draft/testdata/adoption/*.txtar")
	must(t, err)
	buildctl := daemon(t)
	compared := 0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		t.Run(name, func(t *testing.T) {
			if why, ok := apart[name]; ok {
				t.Skip(why)
			}
			a, err := txtar.ParseFile(f)
			must(t, err)
			dir := t.TempDir()
			for _, f := range a.Files {
				p := filepath.Join(dir, filepath.FromSlash(f.Name))
				must(t, os.MkdirAll(filepath.Dir(p), 0o755))
				must(t, os.WriteFile(p, f.Data, 0o644))
			}
			made, err := txtar.ParseFile(strings.TrimSuffix(f, ".txtar") + ".golden")
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, product.File), made.Files[0].Data, 0o644))
			p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, product.File)})
			must(t, err)
			for _, i := range p.Images {
				if len(i.Missing) > 0 {
					continue // it is red by its own account
				}
				for _, on := range i.Platforms {
					t.Run(i.Name+" "+strings.ReplaceAll(on.String(), "/", "-"), func(t *testing.T) { adopted(t, buildctl, p, i, on) })
					compared++
				}
			}
		})
	}
	if compared < 10 {
		t.Errorf("only %d images were compared", compared)
	}
}

// adopted compares an image for a platform.
func adopted(t *testing.T, buildctl func(...string) (string, error), p *product.Product, i product.Image, on platform.Platform) {
	d, err := i.Content.(*product.DockerfileImage).On(on, product.BuildInfo{Version: "v1.2.3", Revision: "abc", Created: "2026-01-02T03:04:05Z", SourceVersion: "1.2.3"})
	must(t, err)
	source, err := os.ReadFile(d.Files[on.OS])
	must(t, err)
	work := t.TempDir()
	st, err := store.Open(filepath.Join(work, "store"))
	must(t, err)
	c := &dockerfiletest.Case{Dir: work, Images: map[string][]byte{}}
	in := dockerfile.Input{
		File: d.Files[on.OS], Source: source, Context: d.Context, Args: d.Args, Target: d.Target, Platform: on, Store: st,
		Outputs: map[string]map[string]dockerfile.File{}, Contexts: map[string]dockerfile.Context{},
	}
	in.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
		c.Images[name] = []byte(nanoserver)
		if p.OS == platform.Linux {
			c.Images[name] = []byte(static)
		} else if strings.Contains(name, "servercore") {
			c.Images[name] = []byte(nanoserver + "file 644 0:0 Windows/System32/netapi32.dll \"MZ\"\n")
		}
		img := dockerfiletest.Image(t, c.Images[name], p)
		digest, err := img.Digest()
		return base.Base{Image: img, Platform: p, Info: &base.Info{Name: name, Digest: digest}}, err
	}
	theirs := in
	theirs.Context = filepath.Join(work, "context")
	must(t, os.CopyFS(theirs.Context, os.DirFS(d.Context)))
	for place, program := range d.Outputs {
		stage, file, err := product.Output(place, on, p.Version)
		must(t, err)
		if stage != "" || !p.Program(program).IsFor(on) {
			t.Fatalf("the output %s is not one of the context", place)
		}
		there := filepath.Join(theirs.Context, filepath.FromSlash(file))
		must(t, os.MkdirAll(filepath.Dir(there), 0o755))
		must(t, os.WriteFile(there, []byte(fmt.Sprintf("the program %s for %s", program, on)), 0o755))
		must(t, os.Chmod(there, 0o755))
		content, err := layer.File(st, there)
		must(t, err)
		if in.Outputs[""] == nil {
			in.Outputs[""] = map[string]dockerfile.File{}
		}
		in.Outputs[""][file] = dockerfile.File{Content: content, Mode: 0o755}
	}
	windows := on.OS == platform.Windows
	ours, err := evaluate(t, in, windows)
	must(t, err)
	for name, spec := range c.Images {
		c.Images[strings.TrimSuffix(name, ":latest")] = spec // as BuildKit calls it
	}
	want, err := build(t, buildctl, c, theirs, windows)
	must(t, err)
	if diff := cmp.Diff(want, ours, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-BuildKit +ours:\n%s", diff)
	}
	if len(ours.Files) < 2 {
		t.Error("the image has no files")
	}
}
