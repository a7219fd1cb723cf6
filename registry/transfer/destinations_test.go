package transfer_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// cargo is a release in a store that counts how often each blob is opened, and read to its end.
type cargo struct {
	t      *testing.T
	store  *store.Store
	trees  map[string]*oci.Tree // by name
	blobs  int
	source transfer.Source

	mu     sync.Mutex
	opened map[v1.Hash]int
}

func newCargo(t *testing.T, size int) *cargo {
	t.Helper()
	c := &cargo{t: t, store: storetest.Open(t), trees: map[string]*oci.Tree{}, opened: map[v1.Hash]int{}}
	all := map[v1.Hash]bool{}
	for _, i := range storetest.Release(t, c.store, size).Images {
		tree, err := oci.Read(v1.Descriptor{Digest: i.Digest}, c.store.Get, oci.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.trees[i.Name] = tree
		for d := range tree.All() {
			for _, b := range d.Blobs() {
				all[b.Digest] = true
			}
		}
	}
	c.blobs = len(all)
	c.source.Open = func(h v1.Hash) (io.ReadCloser, error) {
		c.mu.Lock()
		c.opened[h]++
		c.mu.Unlock()
		return c.store.Open(h)
	}
	return c
}

// destination is host[/prefix] and what is pushed there.
type destination struct {
	Name   string
	Images []transfer.Image
}

// pushAll pushes to destinations with what differs from the defaults in o.
func (c *cargo) pushAll(o network.Options, list []destination) []transfer.Pushed {
	c.t.Helper()
	var all [][]transfer.Image
	for _, d := range list {
		all = append(all, d.Images)
	}
	return transfer.New(o).PushAll(c.t.Context(), all, c.source, release)
}

// to lists the images for one destination.
func (c *cargo) to(s *registrytest.Server, prefix string) destination {
	d := destination{Name: s.Host() + prefix}
	for _, n := range []string{"agent", "server", "lifecycle"} {
		d.Images = append(d.Images,
			transfer.Image{Name: n, Ref: s.Repo(c.t, strings.TrimPrefix(prefix+"/"+n, "/")).Tag("2"), Tree: c.trees[n]})
	}
	return d
}

// check pulls every image of a destination.
func (c *cargo) check(d destination) {
	c.t.Helper()
	for _, i := range d.Images {
		got, err := remote.Get(i.Ref)
		if err != nil {
			c.t.Error(err)
			continue
		}
		if got.Digest != i.Tree.Desc.Digest {
			c.t.Errorf("%s is %s, want %s", i.Ref, got.Digest, i.Tree.Desc.Digest)
		}
		if !got.MediaType.IsIndex() {
			img, err := got.Image()
			if err == nil {
				err = validate.Image(img)
			}
			if err != nil {
				c.t.Errorf("%s: %v", i.Ref, err)
			}
			continue
		}
		idx, err := got.ImageIndex()
		if err == nil {
			err = validate.Index(idx)
		}
		if err != nil {
			c.t.Errorf("%s: %v", i.Ref, err)
		}
	}
}

// once checks that each blob was opened once.
func (c *cargo) once() {
	c.t.Helper()
	if len(c.opened) != c.blobs {
		c.t.Errorf("%d blobs were opened of %d", len(c.opened), c.blobs)
	}
	for h, n := range c.opened {
		if n != 1 {
			c.t.Errorf("%s was opened %d times", h, n)
		}
	}
}

// separate serves a registry that keeps blobs per repository.
func separate(t *testing.T) *registrytest.Server {
	t.Helper()
	s := registrytest.Serve(t)
	s.Inner = registrytest.Separate(s.Inner)
	return s
}

func conflict(i transfer.Image, have v1.Hash) (what, todo string) {
	return fmt.Sprintf("%s is %s already", i.Ref, have), "choose others"
}

var release = transfer.PushOptions{Task: "push", TrustTags: true, Conflict: conflict}

// TestPushAll pushes to two registries, and to two places in the second: each blob is opened once,
// and sent once to each registry.
func TestPushAll(t *testing.T) {
	c := newCargo(t, 3000)
	a, b := separate(t), separate(t)
	all := []destination{c.to(a, ""), c.to(b, "/one"), c.to(b, "/two/deep")}
	for n, done := range c.pushAll(quick, all) {
		if done.Err != nil {
			t.Errorf("%s: %v", all[n].Name, done.Err)
		}
		if want := []int64{int64(c.blobs), int64(c.blobs), 0}[n]; done.Blobs != want || len(done.Outcomes) != 3 {
			t.Errorf("%s: %d blobs were sent, want %d; %d outcomes", all[n].Name, done.Blobs, want, len(done.Outcomes))
		}
		c.check(all[n])
	}
	c.once()
	for _, s := range []*registrytest.Server{a, b} {
		if n := s.Count("PATCH", ""); n != c.blobs {
			t.Errorf("%d blobs were sent to %s, the release has %d", n, s.Host(), c.blobs)
		}
		s.Reset()
	}

	// A second time nothing is sent, and a further place has everything mounted.
	clear(c.opened)
	all = append(all, c.to(b, "/three"))
	for n, done := range c.pushAll(quick, all) {
		if done.Err != nil || done.Blobs != 0 || done.Outcomes[0].Existed != (n < 3) {
			t.Errorf("%s again: %d blobs, %+v, %v", all[n].Name, done.Blobs, done.Outcomes, done.Err)
		}
		c.check(all[n])
	}
	if len(c.opened) != 0 || a.Count("P", "") != 0 || b.Count("PATCH", "") != 0 {
		t.Errorf("%d blobs were opened again", len(c.opened))
	}
}

// TestPushAllFails has one destination that fails, each time in another way; the others get
// everything, but for a conflict, after which nothing is sent to any registry.
func TestPushAllFails(t *testing.T) {
	answer := func(method, part string, status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, q *http.Request) bool {
			if q.Method != method || !strings.Contains(q.URL.Path, part) {
				return false
			}
			w.WriteHeader(status)
			return true
		}
	}
	for name, tt := range map[string]struct {
		disturb func(http.ResponseWriter, *http.Request) bool
		tagged  bool // with another image
		want    string
	}{
		"unreachable":       {disturb: answer("GET", "/v2/", 500), want: "connecting to"},
		"conflict":          {tagged: true, want: "already"},
		"may not push":      {disturb: answer("POST", "", 403), want: "docker login"},
		"takes no blob":     {disturb: answer("PATCH", "", 500), want: "pushing blob"},
		"completes no blob": {disturb: answer("PUT", "/blobs/", 500), want: "pushing blob"},
		"takes no manifest": {disturb: answer("PUT", "/manifests/sha256", 400), want: "pushing"},
		"takes no tag":      {disturb: answer("PUT", "/manifests/2", 400), want: "pushing"},
		"breaks every PATCH off": {disturb: func(_ http.ResponseWriter, q *http.Request) bool {
			if q.Method == http.MethodPatch {
				io.CopyN(io.Discard, q.Body, 100) //nolint:errcheck // a test's own connection
				panic(http.ErrAbortHandler)
			}
			return false
		}, want: "pushing blob"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCargo(t, 3000)
			good, bad := separate(t), separate(t)
			all := []destination{c.to(bad, "/first"), c.to(good, ""), c.to(bad, "/second"), c.to(good, "/more")}
			if tt.tagged {
				all = append(all[:2], all[3])
				ref := bad.Repo(t, "first/lifecycle").Tag("2")
				idx, err := storetest.OpenIndex(c.store, c.trees["server"].Desc.Digest)
				if err != nil {
					t.Fatal(err)
				}
				if err := remote.WriteIndex(ref, idx); err != nil {
					t.Fatal(err)
				}
				bad.Reset()
			}
			bad.Disturb(tt.disturb)
			o := quick
			o.Attempts = 2
			for n, done := range c.pushAll(o, all) {
				if tt.tagged && n > 0 {
					if !errors.Is(done.Err, transfer.ErrHeld) {
						t.Errorf("%s: %v, with a conflict elsewhere", all[n].Name, done.Err)
					}
					continue
				}
				fails := strings.HasPrefix(all[n].Name, bad.Host())
				if fails && (done.Err == nil || !strings.Contains(done.Err.Error(), tt.want)) ||
					!fails && done.Err != nil {
					t.Errorf("%s: %v", all[n].Name, done.Err)
				}
				if !fails {
					c.check(all[n])
				}
			}
			if tt.tagged {
				if n := bad.Count("P", "") + good.Count("P", ""); n != 0 {
					t.Errorf("%d requests to write with a conflict at one registry", n)
				}
				return
			}
			if n := bad.Count("PUT", "/manifests/2"); n != 0 && name != "takes no tag" {
				t.Errorf("%d tags were put by a push that failed", n)
			}
			if n := good.Count("PATCH", ""); n != c.blobs {
				t.Errorf("%d blobs were sent to the good registry, the release has %d", n, c.blobs)
			}
		})
	}
}

// TestPushAllOneOfOneRegistry has two destinations on one registry, of which the first is denied:
// the second is sent what it would have mounted.
func TestPushAllOneOfOneRegistry(t *testing.T) {
	c := newCargo(t, 3000)
	s := separate(t)
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPost && strings.HasPrefix(q.URL.Path, "/v2/first/") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	all := []destination{c.to(s, "/first"), c.to(s, "/second")}
	done := c.pushAll(quick, all)
	if done[0].Err == nil || done[1].Err != nil {
		t.Errorf("%v; %v", done[0].Err, done[1].Err)
	}
	c.check(all[1])
}

// TestPushAllStalled has a registry that takes nothing of a blob until another one has the whole
// release: that does not wait for it. Both are complete in the end.
func TestPushAllStalled(t *testing.T) {
	c := newCargo(t, 3<<20) // more than a window
	a, b := separate(t), separate(t)
	complete := make(chan struct{})
	var left sync.WaitGroup
	left.Add(3) // tags
	go func() {
		left.Wait()
		close(complete)
	}()
	a.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPut && strings.HasSuffix(q.URL.Path, "/manifests/2") {
			left.Done()
		}
		return false
	})
	b.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPatch {
			select {
			case <-complete:
			case <-q.Context().Done():
			}
		}
		return false
	})
	o := quick
	o.Idle, o.Attempts = 2*time.Second, 100
	all := []destination{c.to(a, ""), c.to(b, "")}
	for n, done := range c.pushAll(o, all) {
		if done.Err != nil {
			t.Errorf("%s: %v", all[n].Name, done.Err)
		}
		c.check(all[n])
	}
}

// TestPushAllRetry breaks the first upload to one registry off: it alone reads the blob again.
func TestPushAllRetry(t *testing.T) {
	c := newCargo(t, 3000)
	a, b := separate(t), separate(t)
	var once sync.Once
	b.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPatch {
			once.Do(func() {
				io.CopyN(io.Discard, q.Body, 100) //nolint:errcheck // a test's own connection
				panic(http.ErrAbortHandler)
			})
		}
		return false
	})
	all := []destination{c.to(a, ""), c.to(b, "")}
	for n, done := range c.pushAll(quick, all) {
		if done.Err != nil || done.Blobs != int64(c.blobs) {
			t.Errorf("%s: %d blobs, %v", all[n].Name, done.Blobs, done.Err)
		}
		c.check(all[n])
	}
	again := 0
	for _, n := range c.opened {
		again += n - 1
	}
	if n := a.Count("PATCH", ""); again != 1 || n != c.blobs {
		t.Errorf("%d blobs were read again, %d sent to the registry without faults", again, n)
	}
}

// TestPushDamaged pushes a blob whose bytes are wrong: no destination has it.
func TestPushDamaged(t *testing.T) {
	c := newCargo(t, 3000)
	damaged := c.trees["lifecycle"].Layers[0].Digest
	c.source.Open = func(h v1.Hash) (io.ReadCloser, error) {
		if h == damaged {
			return nil, errors.New("it is damaged")
		}
		return c.store.Open(h)
	}
	a, b := separate(t), separate(t)
	for _, done := range c.pushAll(quick, []destination{c.to(a, ""), c.to(b, "")}) {
		if done.Err == nil || !strings.Contains(done.Err.Error(), "it is damaged") {
			t.Errorf("got %v", done.Err)
		}
	}
	if n := a.Count("PUT", "/manifests/") + b.Count("PUT", "/manifests/"); n != 0 {
		t.Errorf("%d manifests were put", n)
	}
}

// TestPushTags pushes an index and one of its manifests under several tags: blobs and manifests are
// sent once, and a tag that is added later is one request.
func TestPushTags(t *testing.T) {
	c := newCargo(t, 3000)
	s := separate(t)
	repo := s.Repo(t, "team/agent")
	agent := c.trees["agent"]
	list := func(tags ...string) (all []transfer.Image) {
		for _, tag := range tags {
			all = append(all, transfer.Image{Name: "agent", Ref: repo.Tag(tag), Tree: agent})
		}
		return append(all, transfer.Image{Name: "agent", Ref: repo.Tag("2-linux-amd64"), Tree: agent.Children[0]})
	}
	if _, err := transfer.New(quick).Push(t.Context(), list("2", "2.0"), c.source, release); err != nil {
		t.Fatal(err)
	}
	blobs := map[v1.Hash]bool{}
	for _, m := range agent.Children {
		for _, b := range m.Blobs() {
			blobs[b.Digest] = true
		}
	}
	if n := s.Count("PATCH", ""); n != len(blobs) {
		t.Errorf("%d blobs were sent, the image has %d", n, len(blobs))
	}
	if n := s.Count("PUT", "/manifests/sha256:"); n != len(agent.Children)+1 {
		t.Errorf("%d manifests were put by digest, want the index and the %d that it lists", n, len(agent.Children))
	}
	if n := s.Count("PUT", "/manifests/2"); n != 3 {
		t.Errorf("%d tags were put, want 3", n)
	}
	for _, tag := range []string{"2", "2.0", "2-linux-amd64"} {
		got, err := remote.Get(repo.Tag(tag))
		if err != nil {
			t.Fatal(err)
		}
		if want := list("2")[0].Tree.Desc.Digest; strings.HasSuffix(tag, "amd64") == (got.Digest == want) {
			t.Errorf("%s is %s", tag, got.Digest)
		}
	}
	s.Reset()
	if _, err := transfer.New(quick).Push(t.Context(), list("2", "2.0", "2.0.0"), c.source, release); err != nil {
		t.Fatal(err)
	}
	calls, _ := s.Reset()
	for _, call := range calls {
		if !strings.HasPrefix(call, "HEAD ") && call != "PUT /v2/team/agent/manifests/2.0.0" ||
			strings.Contains(call, "/blobs/") {
			t.Errorf("for one more tag: %s", call)
		}
	}
}
