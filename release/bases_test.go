package release_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// counting is a registry that stores blobs per repository, can mount them, and counts which are
// downloaded, uploaded and mounted.
type counting struct {
	host string

	mu    sync.Mutex
	there map[string]bool // "repository digest"
	done  map[string]int  // an action and the hexadecimal digits of a digest
}

// The actions that counting counts.
const downloads, uploads, mounts = "downloads ", "uploads ", "mounts "

func count(t *testing.T) *counting {
	t.Helper()
	c := &counting{there: map[string]bool{}}
	c.reset()
	inner := registrytest.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !c.note(w, r) {
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	c.host = strings.TrimPrefix(s.URL, "http://")
	return c
}

// note counts a request. It answers requests for which the inner registry would ignore that
// blobs belong to repositories.
func (c *counting) note(w http.ResponseWriter, r *http.Request) (answered bool) {
	repo, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/"), "/blobs/")
	if !ok {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := r.URL.Query()
	hex := func(digest string) string { return strings.TrimPrefix(digest, "sha256:") }
	switch {
	case r.Method == http.MethodGet:
		c.done[downloads+hex(rest)]++
	case r.Method == http.MethodHead && !c.there[repo+" "+rest]:
		registrytest.Lacks(w)
		return true
	case r.Method == http.MethodPost && c.there[v.Get("from")+" "+v.Get("mount")]:
		c.there[repo+" "+v.Get("mount")] = true
		c.done[mounts+hex(v.Get("mount"))]++
		w.WriteHeader(http.StatusCreated)
		return true
	case r.Method == http.MethodPut:
		c.there[repo+" "+v.Get("digest")] = true
		c.done[uploads+hex(v.Get("digest"))]++
	}
	return false
}

func (c *counting) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = map[string]int{}
}

// baseLayers returns the digests of the layers that onRegistry has pushed.
func baseLayers(t *testing.T, host string) (digests []string) {
	t.Helper()
	for _, ltsc := range []string{"ltsc2019", "ltsc2022", "ltsc2025"} {
		_, children := pull(t, host+"/windows/nanoserver:"+ltsc)
		im, err := children[0].Image.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range im.Layers {
			digests = append(digests, l.Digest.Hex)
		}
	}
	return digests
}

// sum returns how often an action was done with blobs of these digests.
func (c *counting) sum(what string, digests []string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range digests {
		n += c.done[what+d]
	}
	return n
}

// TestBaseLayers counts how often the layers of bases are downloaded, uploaded and mounted. To
// publish a Go image needs none of them here if the registry has them or mounts them. COPY in a
// Dockerfile reads the files of its base, and bundles include all layers: each is then
// downloaded once.
func TestBaseLayers(t *testing.T) {
	extent.Plain(t)
	bases, target := count(t), count(t)
	part := func(to *counting, prefix string) string {
		t.Helper()
		yaml, out := hello(t), t.TempDir()
		onRegistry(t, yaml, bases.host)
		bases.reset()
		target.reset()
		if _, err := cut(t, product.Options{
			Path: yaml, Registries: []string{to.host + prefix},
			Platforms: []string{"windows"}, Images: []string{"hello"},
		}, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := part(bases, "/mounted")
	layers := baseLayers(t, bases.host)
	if len(layers) != 3 {
		t.Fatalf("%d base layers", len(layers))
	}
	if gets, mounted := bases.sum(downloads, layers), bases.sum(mounts, layers); gets != 0 || mounted != 3 {
		t.Errorf("bases in the target registry: %d layers are downloaded, %d mounted; want none and 3", gets, mounted)
	}
	l, err := lock.ReadPart(filepath.Join(out, lock.PartName))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			ref, err := name.NewDigest(i.Repository + "@" + c.Digest.String())
			if err != nil {
				t.Fatal(err)
			}
			img, err := remote.Image(ref)
			if err != nil {
				t.Fatal(err)
			}
			pulled, err := img.Layers()
			if err != nil {
				t.Fatal(err)
			}
			for _, layer := range pulled {
				r, err := layer.Compressed()
				if err != nil {
					t.Fatalf("%s: %v", ref, err)
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					t.Errorf("%s: %v", ref, err)
				}
				r.Close()
			}
		}
	}

	part(target, "/team")
	if gets, puts := bases.sum(downloads, layers), target.sum(uploads, layers); gets != 3 || puts != 3 {
		t.Errorf("bases that the target registry lacks: %d layers are downloaded and %d sent, want 3 and 3", gets, puts)
	}
	part(target, "/team")
	if gets := bases.sum(downloads, layers) + target.sum(downloads, layers); gets != 0 {
		t.Errorf("bases that the target registry has: %d layers are downloaded, want none", gets)
	}

	yaml := hello(t)
	onRegistry(t, yaml, bases.host)
	bases.reset()
	target.reset()
	if _, err := cut(t, product.Options{Path: yaml, Registries: []string{target.host + "/team"}},
		t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if n := bases.sum(downloads, layers) + target.sum(downloads, layers); n != 3 {
		t.Errorf("a whole release downloads %d base layers, want each of 3 once", n)
	}
	// The same is true of a release that reads no base: its bundles are packed from the
	// registry that has the images.
	var dist string
	for range 2 { // on two machines; the first pushes
		yaml, dist = goOnly(t, bases.host), t.TempDir()
		bases.reset()
		target.reset()
		if _, err := cut(t, product.Options{Path: yaml, Registries: []string{target.host + "/team"}},
			dist); err != nil {
			t.Fatal(err)
		}
	}
	if from, at := bases.sum(downloads, layers), target.sum(downloads, layers); from != 0 || at != 1 {
		t.Errorf("%d base layers are downloaded from the base and %d from the target, want none and 1", from, at)
	}
	for name := range files(t, dist) {
		if filepath.Ext(name) == ".zst" {
			r, err := bundle.Verify(t.Context(), filepath.Join(dist, name), bundle.VerifyOptions{})
			if err != nil || len(r.Problems) > 0 {
				t.Errorf("%s: %v %+v", name, err, r)
			}
		}
	}
}

// goOnly returns a product of one Go image for Windows, on a base that onRegistry has pushed.
func goOnly(t *testing.T, host string) string {
	t.Helper()
	ref, err := name.ParseReference(host + "/windows/nanoserver:ltsc2022")
	if err != nil {
		t.Fatal(err)
	}
	head, err := remote.Head(ref)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "config"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"go.mod":  "module example.com/demo\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n",
		"slipway.yaml": `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: ["windows/amd64:ltsc2022"]
sources: [{name: demo, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}]
bases: [{name: nano, images: {"windows/amd64:ltsc2022": "` + ref.String() + "@" + head.Digest.String() + `"}}]
programs: [{name: demo, source: demo, package: .}]
images: [{name: demo, bases: {windows: nano}, go: {program: demo}}]
release: {templates: [{path: config}]}
`,
		"config/demo.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: demo}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "slipway.yaml")
}
