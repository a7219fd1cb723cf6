package registries

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/store"
)

// charted is a product with an image and a chart, each with a floating tag.
var charted = map[string]string{
	"slipway.yaml": `apiVersion: slipway/v1
name: charted
version: v1.21.0
platforms: [linux/amd64]
sources:
  - {name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}
images:
  - {name: app, source: here, floatingTags: [latest], dockerfile: {file: Dockerfile, context: files}}
charts:
  - {name: app, path: chart, repository: charts/app, images: {image: app}, floatingTags: [latest]}
`,
	"Dockerfile":        "FROM scratch\nCOPY . /share\n",
	"files/readme":      "It is one file.",
	"chart/Chart.yaml":  "apiVersion: v2\nname: app\nversion: 0.1.0\n",
	"chart/values.yaml": "image: slipway.local/charted/app:v0.1.0\n",
	"chart/templates/pod.yaml": `apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  nodeSelector: {kubernetes.io/os: linux}
  containers: [{name: app, image: "{{.Values.image}}"}]
`,
}

// TestChartKilled ends the command by SIGKILL at each request of a release with a chart. Floating
// tags are either both old then, or all other names are there; the next run completes the release,
// with the lock of a run that nothing ended.
func TestChartKilled(t *testing.T) {
	slipway := newReleaser(t, charted)
	var f front
	dir := t.TempDir()
	var current atomic.Pointer[registry.Registry]
	current.Store(stored(t, dir))
	at := f.serve(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { current.Load().ServeHTTP(w, q) }))
	old := slipway.release(t, "v1.20.0", at)
	seed := dir
	names := []string{"charted/app:v1.21.0", "charts/app:v1.21.0", "charted/app:latest", "charts/app:latest"}
	var before []*remote.Descriptor
	for _, text := range names[2:] {
		d, err := remote.Get(tag(t, at, text))
		must(t, err)
		before = append(before, d)
	}
	next := func() { // the registry as it was after the old release
		dir = t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS(seed)))
		current.Store(stored(t, dir))
		for n, d := range before {
			must(t, remote.Put(tag(t, at, names[2+n]), d))
		}
	}

	next()
	f.reset(0) // after the requests of next
	l := slipway.release(t, "v1.21.0", at)
	total, want := f.n, slipway.lock(t)
	if got := digests(t, at, names); !slices.Equal(got, []string{
		l.Images[0].Digest.String(),
		l.Charts[0].Digest.String(), l.Images[0].Digest.String(), l.Charts[0].Digest.String(),
	}) {
		t.Fatalf("%v are %v", names, got)
	}
	moving := 0
	for n := 1; n <= total; n++ {
		f.reset(0)
		next()
		must(t, os.RemoveAll(filepath.Join(slipway.dir, "dist")))
		f.reset(n)
		slipway.killed(t, &f, "v1.21.0", at)
		got := digests(t, at, names)
		if got[2] != old.Images[0].Digest.String() || got[3] != old.Charts[0].Digest.String() {
			moving++
			if got[0] == "" || got[1] == "" {
				t.Errorf("request %d: a floating tag has moved before the release was there: %v are %v", n, names, got)
			}
		}
		f.reset(0)
		slipway.release(t, "v1.21.0", at)
		if now := slipway.lock(t); !bytes.Equal(now, want) {
			t.Errorf("request %d: the lock of the next run is another one:\n%s", n, now)
		}
		if got := digests(t, at, names); got[2] != l.Images[0].Digest.String() ||
			got[3] != l.Charts[0].Digest.String() || got[2] != got[0] || got[3] != got[1] {
			t.Errorf("request %d and another run: %v are %v", n, names, got)
		}
	}
	if moving == 0 || moving == total {
		t.Errorf("floating tags had moved at %d of %d requests", moving, total)
	}
	t.Logf("%d requests; floating tags had moved at %d of them", total, moving)
}

func tag(t *testing.T, at, text string) name.Tag {
	t.Helper()
	ref, err := name.NewTag(at + "/" + text)
	must(t, err)
	return ref
}

// lock returns the lock in dist.
func (r *releaser) lock(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, "dist", lock.Name))
	must(t, err)
	return b
}

// killed runs a release that f ends, and reports whether it did: not if there are fewer requests.
func (r *releaser) killed(t *testing.T, f *front, version string, registries ...string) bool {
	t.Helper()
	return f.run(t, r.command(t, version, registries...))
}

// run runs a command that f or something else ends, and reports whether it was.
func (f *front) run(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	f.mu.Lock()
	err := cmd.Start()
	f.process = cmd.Process
	f.mu.Unlock()
	must(t, err)
	err = cmd.Wait()
	if err != nil && err.Error() != "signal: killed" {
		t.Fatalf("it ended by itself: %v\n%s", err, said.String())
	}
	return err != nil
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// stored returns our registry over a store in a directory.
func stored(t *testing.T, dir string) *registry.Registry {
	t.Helper()
	st, err := store.Open(dir)
	must(t, err)
	return registry.New(st, nil)
}
