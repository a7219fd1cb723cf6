//go:build linux

package buildkit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// upstream is a product whose Dockerfiles are in the corpus, as testdata/corpus.yaml lists it.
//
// The corpus has the Dockerfiles of images that the products ship, out of their modules. Not in it
// are those of tests, tools and examples, and those that copy files which the module lacks. Of
// several that differ only in the name of their program or in their architecture it has one.
type upstream struct {
	Module string       `json:"module"` // path@version
	Sum    string       `json:"sum"`    // of the module, as in go.sum
	Files  []corpusFile `json:"files"`
	dir    string       // where the module is unpacked
}

// corpusFile is one Dockerfile, with what its product's Makefile or workflow gives it.
type corpusFile struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Context string `json:"context,omitempty"` // a directory of the module; "none" is an empty one
	// Platform is linux/amd64 where it is empty.
	Platform string            `json:"platform,omitempty"`
	Targets  []string          `json:"targets,omitempty"` // the last stage where there are none
	Args     map[string]string `json:"args,omitempty"`
	Outputs  []string          `json:"outputs,omitempty"` // Go programs of the product
	// Formal are files that no program of the product can be, with what they are: with them the
	// Dockerfile is carried out, and a release cannot.
	Formal map[string]string `json:"formal,omitempty"`
	// Packages is what installs packages into what ships.
	Packages string `json:"packages,omitempty"`
}

// targets are the stages to build; "" is the last one.
func (f corpusFile) targets() []string {
	if len(f.Targets) == 0 {
		return []string{""}
	}
	return f.Targets
}

// TestCorpus evaluates the Dockerfiles of the corpus unchanged, as slipway check does before a
// snapshot, and writes docs/results/dockerfiles-corpus.md.
func TestCorpus(t *testing.T) {
	products := corpus(t)
	st, err := store.Open(t.TempDir())
	must(t, err)
	var judged []judgement
	for _, u := range products {
		for _, f := range u.Files {
			judged = append(judged, judgement{product: u, file: f})
		}
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n := range judged {
		g.Go(func() error {
			j := &judged[n]
			for _, target := range j.file.targets() {
				in, err := j.product.input(t, st, j.file, target)
				if err == nil {
					var checked containerfile.Checked
					checked, err = containerfile.Check(t.Context(), in)
					checked.Close()
				}
				j.err = errors.Join(j.err, err)
			}
			return nil
		})
	}
	must(t, g.Wait())
	for _, j := range judged {
		if j.file.Packages != "" && j.err == nil {
			t.Errorf("%s %s installs packages (%s), and is carried out without them", j.product.Module,
				j.file.Path, j.file.Packages)
		}
	}
	golden.Compare(t, *update, "../../docs/results/dockerfiles-corpus.md", page(t, judged))
}

// corpus reads the table and fetches the modules. The Dockerfiles must be those of the table.
func corpus(t *testing.T) []*upstream {
	t.Helper()
	text, err := os.ReadFile("testdata/corpus.yaml")
	must(t, err)
	var products []*upstream
	must(t, yaml.UnmarshalStrict(text, &products))
	download(t, products)
	for _, u := range products {
		for _, f := range u.Files {
			b, err := os.ReadFile(filepath.Join(u.dir, f.Path))
			must(t, err)
			if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != f.SHA256 {
				t.Fatalf("%s: %s has the hash %x, want %s", u.Module, f.Path, sum, f.SHA256)
			}
		}
	}
	return products
}

// download has the go command fetch the modules that the module cache lacks. Their hashes must be
// those of the table.
func download(t *testing.T, products []*upstream) {
	t.Helper()
	args := []string{"mod", "download", "-json"}
	for _, u := range products {
		args = append(args, u.Module)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = t.TempDir() // outside of every module
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	n := 0
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); n++ {
		var m struct{ Path, Version, Sum, Dir, Error string }
		must(t, d.Decode(&m))
		u := products[n]
		switch {
		case m.Error != "":
			t.Fatalf("%s: %s", u.Module, m.Error)
		case u.Module != m.Path+"@"+m.Version:
			t.Fatalf("go mod download told %s@%s, not %s", m.Path, m.Version, u.Module)
		case u.Sum != m.Sum:
			t.Fatalf("%s has the hash %s, want %s", u.Module, m.Sum, u.Sum)
		}
		u.dir = m.Dir
	}
	if err != nil || n != len(products) {
		t.Fatalf("go mod download: %v: %s", err, &stderr)
	}
}

// input is what a Dockerfile is evaluated with. Its bases are stubs, as in a snapshot.
func (u *upstream) input(t *testing.T, st *store.Store, f corpusFile, target string) (containerfile.Input, error) {
	t.Helper()
	p, err := platform.Parse(cmp.Or(f.Platform, "linux/amd64"))
	must(t, err)
	in := containerfile.Input{
		File: filepath.Join(u.dir, f.Path), Shown: f.Path, Context: filepath.Join(u.dir, f.Context),
		Args: f.Args, Target: target, Platform: p, ModTime: layer.Epoch, Store: st, Snapshot: true,
		Compiler: containerfile.Compiler{Check: func(containerfile.GoBuild) error { return nil }},
		Outputs:  map[string]map[string]containerfile.File{},
		Base: func(_ context.Context, name string, p platform.Platform) (base.Base, error) {
			img := dockerfiletest.Image(t, []byte("layer\n"), p)
			digest, err := img.Digest()
			return base.Base{Image: img, Platform: p, Info: &base.Info{Name: name, Digest: digest, Stub: true}}, err
		},
	}
	if f.Context == "none" {
		in.Context = t.TempDir()
	}
	for _, place := range slices.Concat(f.Outputs, slices.Sorted(maps.Keys(f.Formal))) {
		stage, file, err := product.Output(place, p, "0")
		if err != nil {
			return in, err
		}
		if in.Outputs[stage] == nil {
			in.Outputs[stage] = map[string]containerfile.File{}
		}
		in.Outputs[stage][file] = containerfile.File{
			Content: layer.Bytes(fmt.Appendf(nil, "program %s\n", place)),
			Mode:    0o755,
		}
	}
	return in, nil
}
