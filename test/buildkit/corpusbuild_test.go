package buildkit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/distribution/reference"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// TestCorpusSameAsBuildKit lets BuildKit build the Dockerfiles of the corpus that are carried out.
// Their bases are stand-ins with a shell and GNU's tools, and what outputs name replaces the stages
// that make it. Excepted are those that compile: their stages need a network.
func TestCorpusSameAsBuildKit(t *testing.T) {
	testprog.Need(t, "buildkit")
	buildctl := daemon(t)
	tools := []string{"sh", "mkdir", "touch", "ln", "cp", "mv", "rm", "rmdir", "chmod", "chown", "chgrp", "cat"}
	stand := standIns{
		"linux":   append(machine(t, "", tools...), linuxFiles+"dir 755 0:0 busybox\nhard 755 0:0 busybox/sh bin/sh\n"...),
		"small":   []byte(linuxFiles),
		"windows": []byte(nanoserver + "file 644 0:0 Windows/System32/netapi32.dll \"dll\"\nfile 755 0:0 Windows/System32/certoc.exe \"MZ\"\n"),
	}
	st, err := store.Open(t.TempDir())
	must(t, err)
	var compared, compiled atomic.Int64
	products := corpus(t)
	t.Run("images", func(t *testing.T) { stand.all(t, buildctl, st, products, &compared, &compiled) })
	t.Logf("%d images compared, %d are compiled", compared.Load(), compiled.Load())
	if compared.Load() < 40 {
		t.Errorf("only %d images were compared", compared.Load())
	}
}

// all compares every image, several at a time.
func (s standIns) all(t *testing.T, buildctl func(...string) (string, error), st *store.Store, products []*upstream, compared, compiled *atomic.Int64) {
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
					switch made, err := dockerfile.Build(t.Context(), in); {
					case err != nil:
						t.Skip("it is not carried out")
					case len(made.Builds) > 0:
						compiled.Add(1)
						t.Skip("it compiles, which needs a network")
					}
					s.compare(t, buildctl, u, f, in)
					compared.Add(1)
				})
			}
		}
	}
}

// excepted are images that cannot be compared, by a part of their name, and why.
var excepted = map[string]string{
	"descheduler":                          "its stage has no name under which another could replace it",
	"argo-workflows-v3 Dockerfile argocli": otherBase, "kine Dockerfile multi-arch-package": otherBase,
	"spire Dockerfile.windows":                         "BuildKit on Linux starts nothing of a stage for Windows",
	"Dockerfile-windows-base":                          "BuildKit on Linux does not find a file of Windows in another case",
	"azuredisk-csi-driver pkg-azurediskplugin-Windows": linuxCore, "cloud-node-manager-windows": linuxCore, "secrets-store-csi-driver docker-windows": linuxCore,
	"flexvol": "it copies the libraries of UBI",
}

const otherBase = "BuildKit asks for the base of a stage that only a replaced one copies from"

const linuxCore = "it copies out of an image for Linux into one for Windows, and stand-ins are for one system"

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

// standIns are the files of bases, by operating system.
type standIns map[string][]byte

// compare compares one image.
func (s standIns) compare(t *testing.T, buildctl func(...string) (string, error), u *upstream, f corpusFile, in dockerfile.Input) {
	t.Helper()
	c := &dockerfiletest.Case{Dir: t.TempDir(), Images: map[string][]byte{}}
	in.Context = filepath.Join(c.Dir, "context")
	must(t, os.Mkdir(in.Context, 0o755))
	if f.Context != "none" {
		s.link(t, filepath.Join(u.dir, f.Context), in.Context)
	}
	var err error
	in.Source, err = os.ReadFile(in.File)
	must(t, err)
	in.Check, in.Snapshot = false, false
	in.Base = func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
		named, err := reference.ParseNormalizedNamed(name)
		must(t, err)
		spec := s[p.OS]
		if p.OS == platform.Linux && !bytes.Contains(in.Source, []byte("RUN ")) {
			spec = s["small"]
		}
		c.Images[strings.TrimSuffix(reference.FamiliarString(reference.TagNameOnly(named)), ":latest")] = spec
		img := dockerfiletest.Image(t, spec, p)
		digest, err := img.Digest()
		return base.Base{Image: img, Platform: p, Info: &base.Info{Name: name, Digest: digest}}, err
	}
	windows := in.Platform.OS == platform.Windows
	ours, err := evaluate(t, in, windows)
	must(t, err)
	theirs := in
	theirs.Contexts = map[string]dockerfile.Context{}
	for stage, files := range in.Outputs {
		dir := in.Context
		if stage != "" {
			dir = filepath.Join(c.Dir, "contexts", stage)
			theirs.Contexts[stage] = dockerfile.Context{}
		}
		for name, file := range files {
			p := filepath.Join(dir, filepath.FromSlash(name))
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
	built, err := build(t, buildctl, c, theirs, windows)
	must(t, err)
	if diff := gocmp.Diff(built, ours, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-BuildKit +ours:\n%s", diff)
	}
}

// link puts the files of a directory into another one, but for Go's, which are compiled only.
func (s standIns) link(t *testing.T, from, to string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case filepath.Ext(p) == ".go":
			return nil
		}
		if os.Link(p, filepath.Join(to, rel)) == nil {
			return nil
		}
		b, err := os.ReadFile(p)
		return cmp.Or(err, os.WriteFile(filepath.Join(to, rel), b, 0o644))
	}))
}
