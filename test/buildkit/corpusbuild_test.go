//go:build linux

package buildkit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	gobuild "go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// TestCorpusSameAsBuildKit lets BuildKit build the Dockerfiles of the corpus that are carried out.
// Their bases are stand-ins with a shell and GNU's tools, and what outputs name replaces the stages
// that make it. Those that compile do so, from main packages that import nothing.
func TestCorpusSameAsBuildKit(t *testing.T) {
	testprog.Need(t, "buildkit")
	buildctl := daemon(t)
	tools := []string{"sh", "mkdir", "touch", "ln", "cp", "mv", "rm", "rmdir", "chmod", "chown", "chgrp", "cat"}
	stand := standIns{buildctl: buildctl, golangs: newGolangs(t), files: map[string][]byte{
		"linux": append(machine(t, "dir 755 0:0 busybox\nhard 755 0:0 busybox/sh bin/sh\n", tools...), linuxFiles...),
		"small": []byte(linuxFiles),
		"core":  []byte("layer\ndir 755 0:0 Windows\ndir 755 0:0 Windows/System32\nfile 755 0:0 Windows/System32/netapi32.dll \"dll\"\n"), // of Windows, in an image for Linux
		"windows": []byte(nanoserver +
			"file 644 0:0 Windows/System32/netapi32.dll \"dll\"\nfile 755 0:0 Windows/System32/certoc.exe \"MZ\"\n"),
	}}
	st, err := store.Open(t.TempDir())
	must(t, err)
	var compared, compiled atomic.Int64
	products := corpus(t)
	t.Run("images", func(t *testing.T) { stand.all(t, st, products, &compared, &compiled) })
	t.Logf("%d images compared, %d are compiled", compared.Load(), compiled.Load())
	if compared.Load() < 55 || compiled.Load() < 10 {
		t.Errorf("only %d images were compared, and %d compiled", compared.Load(), compiled.Load())
	}
}

// all compares every image, several at a time.
func (s standIns) all(t *testing.T, st *store.Store, products []*upstream, compared, compiled *atomic.Int64) {
	t.Helper()
	for _, u := range products {
		for _, f := range u.Files {
			for _, target := range f.targets() {
				name := strings.ReplaceAll(strings.Split(u.Module, "@")[0]+" "+f.Path+" "+target, "/", "-")
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					for part, why := range excepted {
						if strings.Contains(name, part) {
							t.Skip(why)
						}
					}
					in, err := u.input(t, st, f, target)
					if err != nil || f.Packages != "" {
						t.Skip("it is not carried out")
					}
					made, err := containerfile.Check(t.Context(), in)
					made.Close()
					if err != nil {
						t.Skip("it is not carried out")
					}
					s.compare(t, u, f, in)
					compared.Add(1)
					if len(made.Builds) > 0 {
						compiled.Add(1)
					}
				})
			}
		}
	}
}

// excepted are images that cannot be compared, by a part of their name, and why.
var excepted = map[string]string{
	"descheduler":                          "its stage has no name under which another could replace it",
	"argo-workflows-v3 Dockerfile argocli": otherBase, "kine Dockerfile multi-arch-package": otherBase,
	"spire Dockerfile.windows": "BuildKit on Linux starts nothing of a stage for Windows",
	"Dockerfile-windows-base":  "BuildKit on Linux does not find a file of Windows in another case",
	"flexvol":                  "it copies the libraries of UBI",
	"coredns Dockerfile":       "a stage takes certificates of Debian, which the stand-in lacks",
	"jaeger internal-storage-v1-cassandra-Dockerfile": "it adds an account by programs that the stand-in lacks",
	"rekor Dockerfile deploy": "its stage compiles a test with coverage, " +
		"which needs packages and tools that the stand-in for golang lacks",
}

const otherBase = "BuildKit asks for the base of a stage that only a replaced one copies from"

// linuxFiles are what Dockerfiles expect of their bases.
const linuxFiles = `
layer
file 644 0:0 etc/passwd "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nnonroot:x:65532:65532::/home/nonroot:/bin/false\n"
file 644 0:0 etc/group "root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n"
dir 755 0:0 usr
dir 755 0:0 usr/bin
file 755 0:0 usr/bin/qemu-x86_64-static "qemu"
dir 755 0:0 var
dir 755 0:0 var/run
dir 755 0:0 ko-app
file 755 0:0 ko-app/trillian_log_server "server"
dir 700 65532:65532 home/nonroot
`

// standIns are what takes the place of bases.
type standIns struct {
	buildctl func(...string) (string, error)
	golangs  golangs
	files    map[string][]byte // by operating system
}

// compare compares one image.
func (s standIns) compare(t *testing.T, u *upstream, f corpusFile, in containerfile.Input) {
	t.Helper()
	dir := t.TempDir()
	in.Context = filepath.Join(dir, "context")
	must(t, os.Mkdir(in.Context, 0o755))
	if f.Context != "none" {
		s.link(t, filepath.Join(u.dir, f.Context), in.Context, in.Platform.OS)
	}
	var err error
	in.Source, err = os.ReadFile(in.File)
	must(t, err)
	in.Snapshot, in.Compiler = false, compiler(in.Store)
	images := s.golangs.named(in.Source, in.Args, in.Platform)
	in.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
		stand, ok := images[familiar(name)]
		if !ok {
			spec := s.files[p.OS]
			if p.OS == platform.Linux && strings.Contains(name, "windows") {
				spec = s.files["core"]
			} else if p.OS == platform.Linux && !bytes.Contains(in.Source, []byte("RUN ")) {
				spec = s.files["small"]
			}
			stand = layoutOf(t, dockerfiletest.Image(t, spec, p))
			images[familiar(name)] = stand
		}
		return stand.base(name, p), nil
	}
	windows := in.Platform.OS == platform.Windows
	ours, err := evaluate(t, in, windows)
	must(t, err)
	theirs := in
	theirs.Contexts = map[string]containerfile.Context{}
	for stage, files := range in.Outputs {
		to := in.Context
		if stage != "" {
			to = filepath.Join(dir, "contexts", stage)
			theirs.Contexts[stage] = containerfile.Context{}
		}
		for name, file := range files {
			p := filepath.Join(to, filepath.FromSlash(name))
			must(t, os.MkdirAll(filepath.Dir(p), 0o755))
			r, err := file.Content.Open()
			must(t, err)
			b := make([]byte, file.Content.Size)
			_, err = r.Read(b)
			must(t, err)
			if err := os.Remove(p); !errors.Is(err, fs.ErrNotExist) { // it may be a link into the module cache
				must(t, err)
			}
			must(t, os.WriteFile(p, b, 0o755))
		}
	}
	built, err := build(t, s.buildctl, dir, images, theirs, windows)
	must(t, err)
	if byFiles.Match(in.Source) {
		built.Files, ours.Files = built.Files.withoutSums(), ours.Files.withoutSums()
	}
	if diff := gocmp.Diff(built, ours, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-BuildKit +ours:\n%s", diff)
	}
}

// link puts the files of a directory into another one. Of Go's it puts main packages alone, which
// print where they are: what the image has of the product is compared, not the product, whose
// modules are hundreds.
func (s standIns) link(t *testing.T, from, to, goos string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		there := filepath.Join(to, rel)
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "vendor":
			return filepath.SkipDir
		case e.IsDir():
			return errors.Join(os.MkdirAll(there, 0o755), mainOf(p, there, goos, rel))
		case filepath.Ext(p) == ".go":
			return nil
		case e.Name() == "go.mod":
			b, err := os.ReadFile(p)
			return cmp.Or(err, os.WriteFile(there, []byte("module "+modfile.ModulePath(b)+"\n\ngo 1.26\n"), 0o644))
		case e.Name() == "go.sum":
			return os.WriteFile(there, nil, 0o644)
		}
		if os.Link(p, there) == nil {
			return nil
		}
		b, err := os.ReadFile(p)
		return cmp.Or(err, os.WriteFile(there, b, 0o644))
	}))
}

// mainOf writes the main package of a directory, if it has one, with one file of the same name.
func mainOf(dir, to, goos, text string) error {
	on := gobuild.Default
	on.GOOS, on.GOARCH, on.CgoEnabled = goos, "amd64", false
	pkg, err := on.ImportDir(dir, 0)
	if err != nil || pkg.Name != "main" || len(pkg.GoFiles) == 0 {
		return nil //nolint:nilerr // a directory without Go files, or one that Dockerfiles do not compile
	}
	name := pkg.GoFiles[0]
	if slices.Contains(pkg.GoFiles, "main.go") {
		name = "main.go"
	}
	return os.WriteFile(filepath.Join(to, name),
		fmt.Appendf(nil, "package main\n\nfunc main() { println(%q) }\n", "<main "+text+">"), 0o644)
}
