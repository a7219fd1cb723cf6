package registries

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/store"
)

// names is a product that publishes what three upstreams do: two images in one repository, tags of
// single platforms, a version of an image's own, and a floating tag.
const names = `apiVersion: slipway/v1
name: names
version: v1.21.0
platforms: [linux/amd64, "windows/amd64:ltsc2022"]
sources:
  - {name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}
images:
  - {name: smbplugin, source: here, repository: sig-storage/smbplugin, floatingTags: [latest], dockerfile: {file: Dockerfile, context: files}}
  - {name: hostprocess, source: here, repository: sig-storage/smbplugin, tags: ["{{.Version}}-windows-hp"], platforms: [windows], dockerfile: {file: Dockerfile, context: files}}
  - {name: rke2-runtime, source: here, version: v1, repository: rancher/rke2-runtime, platformTags: ["{{.Version}}-{{.OS}}-{{.Arch}}"], dockerfile: {file: Dockerfile, context: files}}
`

var namesFiles = map[string]string{
	"slipway.yaml": names, "Dockerfile": "FROM scratch\nCOPY . /share\n",
	"files/readme": "It is one file.",
}

// tagsOf are the names that it has.
func tagsOf(version string) []string {
	return []string{
		"sig-storage/smbplugin:" + version, "sig-storage/smbplugin:" + version + "-windows-hp",
		"sig-storage/smbplugin:latest",
		"rancher/rke2-runtime:v1", "rancher/rke2-runtime:v1-linux-amd64", "rancher/rke2-runtime:v1-windows-amd64",
	}
}

// releaser runs the slipway command on a product.
type releaser struct {
	program, dir string
	key          string // the private key that signs, without a password; or ""
}

// programs has the slipway command of these tests.
var programs string

// slipway returns the path of the command.
var slipway = sync.OnceValues(func() (string, error) { return testprog.Slipway(context.Background(), programs) })

func newReleaser(t *testing.T, files map[string]string) *releaser {
	t.Helper()
	program, err := slipway()
	if err != nil {
		t.Fatal(err)
	}
	r := &releaser{program: program, dir: t.TempDir()}
	for file, text := range files {
		path := filepath.Join(r.dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// command is a release of that version to registries.
func (r *releaser) command(t *testing.T, version string, registries ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.program, "release", "-q", "-binary=false", "-version="+version,
		"-registry="+strings.Join(registries, ","))
	if r.key != "" {
		cmd.Args = append(cmd.Args, "-sign="+r.key)
	}
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "SLIPWAY_PASSWORD=", "SLIPWAY_REGISTRY=", "SLIPWAY_VERSION=",
		"SOURCE_DATE_EPOCH=", "HOME="+r.dir)
	return cmd
}

// release runs it to its end and returns its lock.
func (r *releaser) release(t *testing.T, version string, registries ...string) *lock.Lock {
	t.Helper()
	if out, err := r.command(t, version, registries...).CombinedOutput(); err != nil {
		t.Fatalf("slipway release: %v\n%s", err, out)
	}
	l, err := lock.Read(filepath.Join(r.dir, "dist", lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// front is what stands in front of two registries. It notes every request, and ends a process at
// one of them.
type front struct {
	writes   bool // only requests that write count
	mu       sync.Mutex
	requests []string // HOST METHOD PATH of those that write
	reads    []string // PATH of those that read documents or blobs
	n, at    int      // requests so far, and the one that ends the process; 0 for none
	process  *os.Process
	lose     bool // the registry goes away then, and the process goes on
	server   *httptest.Server
}

// before serves a proxy to a registry, and returns its address.
func (f *front) before(t *testing.T, r software) string {
	t.Helper()
	to := &url.URL{Scheme: "http", Host: r.host}
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(p *httputil.ProxyRequest) { p.SetURL(to); p.Out.Host = p.In.Host },
		ErrorLog: log.New(io.Discard, "", 0), // connections of the process that ended
	}
	return f.serve(t, proxy)
}

// serve serves a registry, and returns its address.
func (f *front) serve(t *testing.T, registry http.Handler) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		strikes, after := f.note(q)
		if strikes && f.lose {
			f.server.Listener.Close()            // the registry is lost
			go f.server.CloseClientConnections() // waits for this one
			panic(http.ErrAbortHandler)
		}
		if strikes && !after {
			f.kill()
			panic(http.ErrAbortHandler)
		}
		if strikes { // the registry does what it was asked for, and the answer is lost
			registry.ServeHTTP(httptest.NewRecorder(), q.WithContext(context.WithoutCancel(q.Context())))
			f.kill()
			panic(http.ErrAbortHandler)
		}
		registry.ServeHTTP(w, q)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() { f.server.Close() })
	f.server = s
	return s.Listener.Addr().String()
}

// again serves a registry that was lost, at its address.
func (f *front) again(t *testing.T) {
	t.Helper()
	lost := f.server
	lost.CloseClientConnections()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", lost.Listener.Addr().String())
	must(t, err)
	f.server = httptest.NewUnstartedServer(lost.Config.Handler)
	f.server.Listener.Close() // it has not begun
	f.server.Listener, f.server.Config.ErrorLog = l, lost.Config.ErrorLog
	f.server.Start()
	f.lose = false
}

// note notes a request, and reports whether it ends the process, and whether after the answer.
func (f *front) note(q *http.Request) (strikes, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	writes := q.Method != http.MethodGet && q.Method != http.MethodHead
	if writes {
		f.requests = append(f.requests, q.Host+" "+q.Method+" "+q.URL.RequestURI())
	}
	if f.writes && !writes {
		return false, false
	}
	if q.Method == http.MethodGet &&
		(strings.Contains(q.URL.Path, "/manifests/") || strings.Contains(q.URL.Path, "/blobs/")) {
		f.reads = append(f.reads, q.URL.Path)
	}
	f.n++
	return f.n == f.at, f.at%2 == 0
}

func (f *front) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.process.Kill() //nolint:errcheck // it may have ended
}

// reset begins anew, and lets request n end the process.
func (f *front) reset(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads, f.requests, f.n, f.at = nil, nil, 0, n
}

// count returns how many requests there were since reset.
func (f *front) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// digests returns what the names are at a registry; "" for one that is not there.
func digests(t *testing.T, at string, tags []string) []string {
	t.Helper()
	var all []string
	for _, tag := range tags {
		ref, err := name.NewTag(at + "/" + tag)
		if err != nil {
			t.Fatal(err)
		}
		digest := ""
		if d, err := remote.Head(ref); err == nil {
			digest = d.Digest.String()
		}
		all = append(all, digest)
	}
	return all
}

// pairs are two registries of different kinds each.
func pairs(t *testing.T) map[string][2]software {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return map[string][2]software{
		"distribution 3 and Debian":       {kinds["distribution 3"](t), kinds["Debian"](t)},
		"go-containerregistry's and ours": {kinds["go-containerregistry"](t), {host: serve(t, registry.New(st, nil))}},
	}
}

var (
	blobSent  = regexp.MustCompile(`^(\S+) PUT .*[?&]digest=(\S+?)(&|$)`)
	latestPut = regexp.MustCompile(` PUT \S*/manifests/latest$`)
)

// TestReleaseNames releases a product under its own names to two registries: every name is at both,
// with equal digests; each blob is sent to each registry once; and the floating tag moves last.
func TestReleaseNames(t *testing.T) {
	slipway := newReleaser(t, namesFiles)
	for kind, r := range pairs(t) {
		t.Run(kind, func(t *testing.T) {
			var f front
			a, b := f.before(t, r[0]), f.before(t, r[1])
			l := slipway.release(t, "v1.21.0", a, b+"/mirror")
			tags := tagsOf("v1.21.0")
			first, second := digests(t, a, tags), digests(t, b+"/mirror", tags)
			if slices.Contains(first, "") || !slices.Equal(first, second) {
				t.Errorf("of %v one registry has %v and the other %v", tags, first, second)
			}
			if first[0] != l.Images[0].Digest.String() || first[2] != first[0] || first[5] == first[3] {
				t.Errorf("of %v the digests are %v, the lock has %s", tags, first, l.Images[0].Digest)
			}
			sent, moved := map[string]int{}, map[string]bool{}
			for _, q := range f.requests {
				host, _, _ := strings.Cut(q, " ")
				if m := blobSent.FindStringSubmatch(q); m != nil {
					sent[host+" "+m[2]]++
				}
				if latestPut.MatchString(q) {
					moved[host] = true
				} else if len(moved) > 0 {
					t.Errorf("%s came after a floating tag has moved", q)
				}
			}
			if !moved[a] || !moved[b] {
				t.Errorf("the tag has moved at %v", moved)
			}
			for blob, n := range sent {
				if n != 1 {
					t.Errorf("%s was sent %d times", blob, n)
				}
			}
			if n := len(sent); n == 0 || n%2 != 0 {
				t.Errorf("%d blobs were sent to two registries", n)
			}
			f.reset(0)
			slipway.release(t, "v1.21.0", a, b+"/mirror")
			for _, q := range f.requests {
				if !strings.HasSuffix(q, " POST /v2/") {
					t.Errorf("the second time there was %s", q)
				}
			}
		})
	}
}

// TestReleaseKilled ends the command by SIGKILL at 40 of its requests: floating tags are either all
// old then, or everything else of the release is there; and after the next run all are new.
func TestReleaseKilled(t *testing.T) {
	slipway := newReleaser(t, namesFiles)
	r := pairs(t)["distribution 3 and Debian"]
	var f front
	a, b := f.before(t, r[0]), f.before(t, r[1])
	f.process = nil
	slipway.release(t, "v1.20.0", a+"/try", b+"/try")
	f.reset(0)
	slipway.release(t, "v1.21.0", a+"/try", b+"/try")
	const places = 40
	total := f.n
	if total < places {
		t.Fatalf("a release has %d requests only", total)
	}
	moving := 0
	for n := range places {
		f.reset(0)
		at := []string{fmt.Sprintf("%s/n%d", a, n), fmt.Sprintf("%s/n%d", b, n)}
		slipway.release(t, "v1.20.0", at...)
		old := digests(t, at[0], tagsOf("v1.20.0"))[2]

		place := 1 + n*(total-1)/(places-1)
		f.reset(place)
		// The number of requests differs a little from run to run.
		if ended := slipway.killed(t, &f, "v1.21.0", at...); !ended && n < places-2 {
			t.Errorf("it was to end at request %d of %d", place, total)
		}
		var latest []string
		whole := true
		for _, registry := range at {
			all := digests(t, registry, tagsOf("v1.21.0"))
			latest = append(latest, all[2])
			whole = whole && !slices.Contains(all, "")
		}
		if latest[0] != old || latest[1] != old {
			moving++
			if !whole {
				t.Errorf("request %d: a floating tag has moved before the release was there: %v, of %s",
					place, latest, old)
			}
		}
		f.reset(0)
		l := slipway.release(t, "v1.21.0", at...)
		for _, registry := range at {
			if got := digests(t, registry, tagsOf("v1.21.0")); got[2] != l.Images[0].Digest.String() ||
				slices.Contains(got, "") {
				t.Errorf("request %d and another run: %s has %v", place, registry, got)
			}
		}
	}
	t.Logf("%d of %d requests; floating tags were moving at %d of them", places, total, moving)
}
