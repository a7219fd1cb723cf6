package debian

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

var workDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "slipway-debian-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	workDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// storeDir is the store of all products: they have many packages in common.
func storeDir() string { return filepath.Join(workDir, "store") }

var slipway = sync.OnceValues(func() (string, error) { return testprog.Slipway(context.Background(), workDir) })

// product is a product of an upstream, in a directory.
type product struct {
	upstream

	dir, store string
	registry   *registrytest.Server
}

// newProduct writes a product: the files of the upstream, stand-ins for its programs, and
// slipway.yaml.
func newProduct(t *testing.T, u upstream, r *registrytest.Server, store string) product {
	t.Helper()
	p := product{upstream: u, dir: t.TempDir(), store: store, registry: r}
	if err := u.unpack(t, filepath.Join(p.dir, "upstream")); err != nil {
		t.Skipf("%s: %v", u.module, err)
	}
	p.write(t)
	return p
}

// write writes stand-ins for programs, and slipway.yaml.
func (p product) write(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod": "module example.com/standin\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() { println(\"stand-in\") }\n",
		"slipway.yaml": p.config(t),
	} {
		must(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
	}
}

// config is slipway.yaml, which is also JSON.
func (p product) config(t *testing.T) string {
	t.Helper()
	source := func(name, dir string) object {
		return object{"name": name, "directory": dir, "revision": "abc", "created": "2024-01-01T00:00:00Z"}
	}
	bases := []object{{
		"name": "debian", "inPlaceOf": p.from, "images": object{"linux/amd64": p.registry.Host() + "/base:" + p.base},
	}}
	if len(p.others) > 0 {
		bases = append(bases, object{
			"name": "other", "inPlaceOf": p.others, "images": object{"linux/amd64": p.registry.Host() + "/base:distroless"},
		})
	}
	outputs := object{}
	for _, o := range p.outputs {
		outputs[o] = "standin"
	}
	dockerfile := object{"source": "upstream", "file": p.file, "context": ".", "outputs": outputs}
	if len(p.args) > 0 {
		dockerfile["args"] = p.args
	}
	images := []object{{"name": p.name, "source": "upstream", "dockerfile": dockerfile}}
	if p.target != "" {
		images = append(images, object{
			"name": p.name + "-" + p.target, "source": "upstream",
			"dockerfile": object{"source": "upstream", "file": p.file, "context": ".", "target": p.target},
		})
	}
	text, err := json.Marshal(object{
		"apiVersion": "slipway/v1", "name": p.name, "version": "1.0.0", "platforms": []string{"linux/amd64"},
		"sources":  []object{source("here", "."), source("upstream", "upstream")},
		"bases":    bases,
		"programs": []object{{"name": "standin", "source": "here", "package": "."}},
		"images":   images,
	})
	must(t, err)
	return string(text)
}

// run runs a command on the product.
func (p product) run(t *testing.T, args ...string) string {
	t.Helper()
	file, err := slipway()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "SLIPWAY_REGISTRY=", "SOURCE_DATE_EPOCH=", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("slipway %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// release releases the product, and returns the digests of its images.
func (p product) release(t *testing.T) map[string]string {
	t.Helper()
	p.run(t, "release", "-q", "-store="+p.store, "-registry="+p.registry.Host()+"/out")
	b, err := os.ReadFile(filepath.Join(p.dir, "dist", "release.lock.json"))
	must(t, err)
	var l struct {
		Images []struct{ Name, Digest string }
	}
	must(t, json.Unmarshal(b, &l))
	all := map[string]string{}
	for _, i := range l.Images {
		all[i.Name] = i.Digest
	}
	if len(all) == 0 || all[p.name] == "" {
		t.Fatalf("the lock has no digest: %s", b)
	}
	return all
}

// image returns a released image, and unpacks its files below dir unless that is empty.
func (p product) image(t *testing.T, name, dir string) v1.Image {
	t.Helper()
	img, err := remote.Image(p.registry.Repo(t, "out/"+p.name+"/"+name).Tag("1.0.0"))
	must(t, err)
	if dir != "" {
		files := mutate.Extract(img)
		defer files.Close()
		unpacked(t, dir, files)
	}
	return img
}
