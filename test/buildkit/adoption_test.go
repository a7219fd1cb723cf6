//go:build linux

package buildkit

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// apart are the shapes of repositories that BuildKit cannot build here, and why.
var apart = map[string]string{
	"controller": "Slipway refuses it: it installs packages into what ships",
	"packages":   "Slipway refuses it: it installs packages into what ships",
	"trust":      "its slipway.yaml says that it is incomplete: its programs need a C compiler",
	"cgo":        "its slipway.yaml says that it is incomplete: its program needs a C compiler",
	"context":    "its slipway.yaml says that its context is one that only a script makes",
	"kobeside":   "its images are of ko",
	"tekton":     "its images are of ko",
	"languages":  "its images are taken as their own builder makes them",
}

// TestAdoption takes the repositories of which package scaffold tests what init writes. Slipway
// builds what that slipway.yaml says, and BuildKit upstream's Dockerfile, with the programs where
// the project's own build puts them. An image is equal, or init has said that it is refused.
func TestAdoption(t *testing.T) {
	testprog.Need(t, "buildkit")
	files, err := filepath.Glob("../../scaffold/testdata/adoption/*.txtar")
	must(t, err)
	a := adoption{buildctl: daemon(t), golangs: newGolangs(t), alpine: machine(t, "", "sh", "mkdir", "mv")}
	images, shapes := 0, 0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		if name == "packages" {
			continue // nor would Slipway do it here: it needs a lock of the base's archive
		}
		t.Run(name, func(t *testing.T) {
			compared := a.shape(t, f)
			images += compared
			if _, ok := apart[name]; ok != (compared == 0) {
				t.Errorf("%d images are compared, and it stays apart for the reason %q", compared, apart[name])
			}
			if compared > 0 {
				shapes++
			}
		})
	}
	t.Logf("%d images of %d shapes compared", images, shapes)
	if shapes != len(files)-len(apart) || shapes < 10 {
		t.Errorf("only %d shapes of %d were compared", shapes, len(files))
	}
}

// adoption is what the images of shapes are made with.
type adoption struct {
	buildctl func(...string) (string, error)
	golangs  golangs
	alpine   []byte
}

// shape compares the images of a repository that are not refused, and returns how many they are.
func (a adoption) shape(t *testing.T, file string) (compared int) {
	t.Helper()
	upstream, err := txtar.ParseFile(file)
	must(t, err)
	dir := t.TempDir()
	for _, f := range upstream.Files {
		switch f.Name {
		case "answers":
			continue // of the test of init
		case "links":
			for line := range strings.Lines(string(f.Data)) {
				at, to, _ := strings.Cut(strings.TrimSpace(line), ": ")
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o755))
				must(t, os.Symlink(to, filepath.Join(dir, at)))
			}
			continue
		}
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, f.Data, 0o644))
	}
	made, err := txtar.ParseFile(strings.TrimSuffix(file, ".txtar") + ".golden")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, product.File), made.Files[0].Data, 0o644))
	p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, product.File)})
	must(t, err)
	for _, i := range p.Images {
		if slices.ContainsFunc(p.Undecided, func(u product.Undecided) bool { return u.Key == "images["+i.Name+"]" }) {
			continue // it is red, as it states
		}
		d, ok := i.Content.(*product.DockerfileImage)
		if !ok || d.Builder != "" || slices.ContainsFunc(slices.Collect(maps.Keys(d.Outputs)), ofStage) {
			continue // no Dockerfile that Slipway carries out, or not all of its stages
		}
		for _, on := range i.Platforms {
			if on.OS == platform.Linux && !slices.Contains([]string{"amd64", "arm64"}, on.Architecture) {
				continue // no compiler is here for it
			}
			refused := strings.Contains(string(made.Comment), "building image "+i.Name+": "+on.OS+"/")
			t.Run(i.Name+" "+strings.ReplaceAll(on.String(), "/", "-"), func(t *testing.T) {
				a.image(t, p, i, on, refused)
			})
			if !refused {
				compared++
			}
		}
	}
	return compared
}

// ofStage reports whether the place of a program is in a stage.
func ofStage(place string) bool { return strings.Contains(place, ":") }

// image compares an image for a platform.
func (a adoption) image(t *testing.T, p *product.Product, i product.Image, on platform.Platform, refused bool) {
	d, err := i.Content.(*product.DockerfileImage).On(on,
		product.BuildInfo{Version: "v1.2.3", Revision: "abc", Created: "2026-01-02T03:04:05Z", SourceVersion: "1.2.3"})
	must(t, err)
	source, err := os.ReadFile(d.Files[on.OS])
	must(t, err)
	work := t.TempDir()
	st, err := store.Open(filepath.Join(work, "store"))
	must(t, err)
	images := a.golangs.named(source, d.Args, on)
	in := containerfile.Input{
		File: d.Files[on.OS], Source: source, Context: d.Context, Args: d.Args, Target: d.Target,
		Platform: on, Store: st,
		Outputs: map[string]map[string]containerfile.File{}, Contexts: map[string]containerfile.Context{},
		Compiler: compiler(st),
	}
	in.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
		spec := []byte(nanoserver)
		switch {
		case strings.Contains(name, "alpine"):
			spec = a.alpine
		case p.OS == platform.Linux:
			spec = []byte(static)
		case strings.Contains(name, "servercore"):
			spec = []byte(nanoserver + "file 644 0:0 Windows/System32/netapi32.dll \"MZ\"\n")
		}
		s := layoutOf(t, dockerfiletest.Image(t, spec, p))
		images[familiar(name)] = s
		return s.base(name, p), nil
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
			in.Outputs[""] = map[string]containerfile.File{}
		}
		in.Outputs[""][file] = containerfile.File{Content: content, Mode: 0o755}
	}
	windows := on.OS == platform.Windows
	ours, err := evaluate(t, in, windows)
	if refused {
		if err == nil {
			t.Error("init says that it is refused, and it is not")
		}
		return
	}
	must(t, err)
	want, err := build(t, a.buildctl, work, images, theirs, windows)
	must(t, err)
	if byFiles.Match(source) {
		want.Files, ours.Files = want.Files.withoutSums(), ours.Files.withoutSums()
	}
	if diff := cmp.Diff(want, ours, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-BuildKit +ours:\n%s", diff)
	}
	if len(ours.Files) == 0 {
		t.Error("the image has no files")
	}
}
