package release_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// small is a product of one image, whose third-party images are in images.txt.
type small struct {
	dir      string
	registry *registrytest.Server
}

func newSmall(t *testing.T, files map[string]string) *small {
	t.Helper()
	return smallAt(t, registrytest.Serve(t), files)
}

func smallAt(t *testing.T, registry *registrytest.Server, files map[string]string) *small {
	t.Helper()
	s := &small{t.TempDir(), registry}
	s.write(t, map[string]string{
		product.File: `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources:
- {name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}
images:
- name: app
  source: here
  dockerfile: {file: Dockerfile, context: files}
airgap:
  images: images.txt
`,
		"Dockerfile":     "FROM scratch\nCOPY greeting /greeting\n",
		"files/greeting": "hello\n",
		"images.txt":     "# none\n",
	})
	s.write(t, files)
	return s
}

// write writes files; REG is the registry.
func (s *small) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "REG", s.registry.Host())
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// push pushes an image or an index of others, and returns its reference by digest.
func (s *small) push(t *testing.T, path string, what remote.Taggable) string {
	t.Helper()
	ref, err := name.NewTag(s.registry.Host() + "/" + path)
	if err != nil {
		t.Fatal(err)
	}
	var h v1.Hash
	switch i := what.(type) {
	case v1.ImageIndex:
		if err = remote.WriteIndex(ref, i); err == nil {
			h, err = i.Digest()
		}
	case v1.Image:
		if err = remote.Write(ref, i); err == nil {
			h, err = i.Digest()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return ref.Context().Digest(h.String()).String()
}

func (s *small) load(t *testing.T) *product.Product {
	t.Helper()
	p, err := product.Load(t.Context(), product.Options{
		Path: filepath.Join(s.dir, product.File), Registries: []string{s.registry.Host() + "/own"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *small) dist() string { return filepath.Join(s.dir, "dist") }

func (s *small) release(t *testing.T) error {
	t.Helper()
	_, err := release.Release(t.Context(), s.load(t), release.Options{Out: s.dist()})
	return err
}

// tagged counts the manifests that a release has put into the registry.
func (s *small) tagged() int { return s.registry.Count(http.MethodPut, "/v2/own/demo/app/manifests/") }

// says checks that an error has all of some texts.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("the error is %v, want %q in it", err, p)
		}
	}
}

// TestUnpackable: what no bundle can include is refused before anything is pushed, and a complete
// release in the directory stays one.
func TestUnpackable(t *testing.T) {
	nested := indextest.Index(t, "linux/amd64")
	for range 2 {
		nested = mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
			Add: nested, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}},
		})
	}
	noDiffIDs, err := mutate.ConfigFile(indextest.Image(t, "linux/amd64", ""), &v1.ConfigFile{
		OS: "linux", Architecture: "amd64",
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		image remote.Taggable
		want  string
	}{
		"no diff_ids":    {noDiffIDs, "layers, its configuration 0"},
		"nested indexes": {nested, "nested too deeply"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSmall(t, nil)
			if err := s.release(t); err != nil {
				t.Fatal(err)
			}
			before := files(t, s.dist())
			s.write(t, map[string]string{
				"images.txt":     s.push(t, "up/tool:1", c.image) + "\n",
				"files/greeting": "hello again\n",
			})
			s.write(t, map[string]string{product.File: strings.Replace(read(t, filepath.Join(s.dir, product.File)),
				"version: 1.0.0", "version: 1.1.0", 1)})
			s.registry.Reset()
			says(t, s.release(t), "images.txt:1: ", "/up/tool@sha256:", c.want, "!"+s.registry.Host()+"/up/tool@sha256:")
			if n := s.tagged(); n > 0 {
				t.Errorf("%d manifests were pushed", n)
			}
			if after := files(t, s.dist()); len(after) != len(before) {
				t.Errorf("dist/ has %v, and had %v", after, before)
			}
		})
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
