package airgap

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store/storetest"
)

// registry is go-containerregistry's on a loopback port, with a book of requests and a place to make trouble.
type registry struct {
	*httptest.Server
	mu    sync.Mutex
	inner http.Handler
	calls []string // "METHOD path?query", without "GET /v2/"
	sent  int64    // bytes of blobs
	// trouble may answer a request itself and then returns true.
	trouble func(http.ResponseWriter, *http.Request) bool
}

func newRegistry(tb testing.TB) *registry {
	tb.Helper()
	r := &registry{inner: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))}
	r.Server = httptest.NewServer(r)
	tb.Cleanup(r.Close)
	return r
}

func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	if q.URL.Path != "/v2/" {
		r.calls = append(r.calls, q.Method+" "+q.URL.RequestURI())
	}
	trouble := r.trouble
	r.mu.Unlock()
	if trouble != nil && trouble(w, q) {
		return
	}
	if q.Method == http.MethodPatch {
		q.Body = &metered{q.Body, r}
	}
	r.inner.ServeHTTP(w, q)
}

type metered struct {
	io.ReadCloser
	r *registry
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.r.mu.Lock()
	m.r.sent += int64(n)
	m.r.mu.Unlock()
	return n, err
}

func (r *registry) host() string { return strings.TrimPrefix(r.URL, "http://") }

// reset forgets what was called, and changes the trouble.
func (r *registry) reset(trouble func(http.ResponseWriter, *http.Request) bool) (calls []string, sent int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls, sent = r.calls, r.sent
	r.calls, r.sent, r.trouble = nil, 0, trouble
	return calls, sent
}

// count tells how many calls begin and contain something.
func count(calls []string, method, part string) int {
	n := 0
	for _, c := range calls {
		if strings.HasPrefix(c, method+" ") && strings.Contains(c, part) {
			n++
		}
	}
	return n
}

func to(r *registry) PushOptions {
	return PushOptions{To: r.host() + "/mirror", Registry: publish.Options{Wait: time.Microsecond}}
}

// whole packs the demo for all platforms and opens the bundle.
func whole(tb testing.TB, size int) *Bundle {
	tb.Helper()
	st, l := demo(tb, size)
	return opened(tb, pack(tb, st, l, tb.TempDir(), product.Bundle{Name: "demo-images"})[0].Path)
}

// part opens the demo's bundle for one platform.
func part(tb testing.TB, p string) *Bundle {
	tb.Helper()
	st, l := demo(tb, 1000)
	for _, f := range pack(tb, st, l, tb.TempDir(), bundles(tb)...) {
		if strings.HasSuffix(f.Path, platform.Slug(parse(tb, p))+".tar.zst") {
			return opened(tb, f.Path)
		}
	}
	tb.Fatalf("no bundle is for %s", p)
	return nil
}

func opened(tb testing.TB, path string) *Bundle {
	tb.Helper()
	b, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.Close() })
	return b
}

// pull validates every image of a push down to the last byte of its layers.
func pull(tb testing.TB, p *Pushed) {
	tb.Helper()
	for _, i := range p.Images {
		for _, s := range []string{i.Target, i.Reference} {
			ref, err := name.ParseReference(s)
			if err != nil {
				tb.Fatal(err)
			}
			d, err := remote.Get(ref)
			if err != nil {
				tb.Fatal(err)
			}
			if !strings.HasSuffix(i.Reference, "@"+d.Digest.String()) {
				tb.Errorf("%s is %s, the bundle has %s", s, d.Digest, i.Reference)
			}
			if !d.MediaType.IsIndex() {
				img, err := d.Image()
				if err != nil {
					tb.Fatal(err)
				}
				if err := validate.Image(img); err != nil {
					tb.Errorf("%s: %v", s, err)
				}
				continue
			}
			idx, err := d.ImageIndex()
			if err != nil {
				tb.Fatal(err)
			}
			if err := validate.Index(idx); err != nil {
				tb.Errorf("%s: %v", s, err)
			}
		}
	}
}

func TestPush(t *testing.T) {
	b, r := whole(t, 5000), newRegistry(t)
	p, err := Push(t.Context(), []*Bundle{b}, to(r))
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	var targets []string
	blobs, bytes := map[v1.Hash]bool{}, b.Contents().LayerBytes
	for n, i := range b.Contents().Images {
		targets = append(targets, strings.TrimPrefix(p.Images[n].Target, r.host()))
		for _, c := range i.Children {
			raw, err := b.Raw(c.Config)
			if err != nil {
				t.Fatal(err)
			}
			if !blobs[c.Config] {
				bytes += int64(len(raw))
			}
			blobs[c.Config] = true
			for _, l := range c.Layers {
				blobs[l.Digest] = true
			}
		}
	}
	if want := []string{"/mirror/demo/agent:1.2.3", "/mirror/demo/server:1.2.3", "/mirror/demo/lifecycle:1.2.3", "/mirror/library/pause:3.9"}; !slices.Equal(targets[:4], want) {
		t.Errorf("the images are at %v, want %v", targets[:4], want)
	}
	calls, sent := r.reset(nil)
	if n := count(calls, "PATCH", ""); n != len(blobs) || p.Blobs != int64(n) {
		t.Errorf("%d blobs were sent, the bundle has %d, the result says %d", n, len(blobs), p.Blobs)
	}
	if n := count(calls, "HEAD", "/manifests/"); n != len(p.Images) {
		t.Errorf("%d manifests were asked for, want one per name that is not there", n)
	}
	if sent < bytes || p.Bytes != sent {
		t.Errorf("%d bytes were sent, the blobs have %d, the result says %d", sent, bytes, p.Bytes)
	}

	// Once more: nothing but questions.
	p, err = Push(t.Context(), []*Bundle{b}, to(r))
	if err != nil {
		t.Fatal(err)
	}
	calls, sent = r.reset(nil)
	if n := count(calls, "HEAD", "/manifests/"); n != len(calls) || sent != 0 || p.Blobs != 0 {
		t.Errorf("the second push sent %d bytes and asked %v", sent, calls)
	}
	for _, i := range p.Images {
		if !i.There {
			t.Errorf("the second push did not find %s", i.Target)
		}
	}
}

// TestPushAgain sees by two questions for an image that 20 of them are there. How long that takes is for the benchmark to say.
func TestPushAgain(t *testing.T) {
	st := storetest.Open(t)
	l := storetest.Release(t, st, 1000)
	l.Registry = "slipway.local"
	for n := range l.Images {
		l.Images[n].Repository = "slipway.local/demo/" + l.Images[n].Name
	}
	for n := range 17 {
		add(t, st, l, "more-"+string(rune('a'+n)), plain(t, noise(string(rune('a'+n)), 100)))
	}
	b, r := opened(t, pack(t, st, l, t.TempDir(), product.Bundle{Name: "many"})[0].Path), newRegistry(t)
	if _, err := Push(t.Context(), []*Bundle{b}, to(r)); err != nil {
		t.Fatal(err)
	}
	r.reset(nil)
	p, err := Push(t.Context(), []*Bundle{b}, to(r))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Images) != 20 {
		t.Errorf("the bundle has %d images, not 20", len(p.Images))
	}
	if calls, sent := r.reset(nil); sent != 0 || len(calls) > 20+25 {
		t.Errorf("it asked %d times and sent %d bytes", len(calls), sent)
	}
}

// TestPushResumes interrupts a push in a blob: the next one sends what is lacking, and that only.
func TestPushResumes(t *testing.T) {
	t.Parallel()
	b, r := whole(t, 200_000), newRegistry(t)
	ctx, cancel := context.WithCancel(t.Context())
	patches := 0
	r.trouble = func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPatch {
			return false
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if patches++; patches < 4 {
			return false
		}
		cancel()
		panic(http.ErrAbortHandler)
	}
	o := to(r)
	o.Registry.Jobs = 1
	if _, err := Push(ctx, []*Bundle{b}, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	calls, _ := r.reset(nil)
	if n := count(calls, "PUT", "/manifests/"); n != 0 {
		t.Errorf("%d manifests were pushed before their blobs", n)
	}
	done := count(calls, "PUT", "/blobs/uploads/")
	p, err := Push(t.Context(), []*Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	calls, _ = r.reset(nil)
	var blobs int64
	for _, c := range calls {
		if strings.HasPrefix(c, "PATCH") {
			blobs++
		}
	}
	if done != 3 || p.Blobs != blobs {
		t.Errorf("%d blobs before, %d after, the result says %d", done, blobs, p.Blobs)
	}

	// A manifest of an index that is tagged got lost: it alone is pushed, with what it refers to.
	i := b.Contents().Images[0]
	lost := "/mirror/demo/agent/manifests/" + i.Children[4].Digest.String()
	asked := false
	r.reset(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodHead && strings.HasSuffix(q.URL.Path, lost) && !asked {
			asked = true
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return false
	})
	if p, err = Push(t.Context(), []*Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	calls, _ = r.reset(nil)
	if n := count(calls, "PUT", ""); p.Images[0].There || n != 2 || count(calls, "PUT", lost) != 1 {
		t.Errorf("the lost manifest was to be pushed, and its index: %v", calls)
	}
	if n := count(calls, "HEAD", "/blobs/"); n != len(i.Children[4].Layers)+1 {
		t.Errorf("%d blobs were looked for, want those of the lost manifest", n)
	}
}

// TestPushRetries answers with what registries answer on a bad day.
func TestPushRetries(t *testing.T) {
	b, r := whole(t, 5000), newRegistry(t)
	n := 0
	r.trouble = func(w http.ResponseWriter, q *http.Request) bool {
		r.mu.Lock()
		n++
		k := n
		r.mu.Unlock()
		switch {
		case k%7 == 3:
			w.WriteHeader(http.StatusTooManyRequests)
		case k%7 == 5 && q.Method == http.MethodPatch:
			io.CopyN(io.Discard, q.Body, 10) //nolint:errcheck // it is thrown away
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	}
	o := to(r)
	o.Registry.Attempts = 100 // how the requests interleave decides which one meets trouble, and how often in a row
	p, err := Push(t.Context(), []*Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	r.reset(nil)
	pull(t, p)
}

func TestPushConflict(t *testing.T) {
	b, r := whole(t, 1000), newRegistry(t)
	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(r.host() + "/mirror/demo/server:1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, other); err != nil {
		t.Fatal(err)
	}
	r.reset(nil)
	have, _ := other.Digest()
	_, err = Push(t.Context(), []*Bundle{b}, to(r))
	says(t, err, ref.Name(), have.String(), b.Contents().Images[1].Digest.String(), "another prefix")
	calls, _ := r.reset(nil)
	if n := count(calls, "POST", "") + count(calls, "PUT", "") + count(calls, "PATCH", ""); n != 0 {
		t.Errorf("%d requests to write before the conflict was found", n)
	}
}

// TestPushCollision packs two images that differ in the host alone.
func TestPushCollision(t *testing.T) {
	st, l := demo(t, 1000)
	for _, host := range []string{"quay.example", "ghcr.example"} {
		i := storetest.Index(t, st, "tool", storetest.Child{Platform: parse(t, "linux/amd64"), Layers: []v1.Layer{storetest.Layer(t, "tool", host, 100)}})
		l.ThirdParty = append(l.ThirdParty, lock.ThirdParty{Reference: host + "/acme/tool:1", MediaType: types.OCIImageIndex, Digest: i.Digest, Size: i.Size})
	}
	b, r := opened(t, pack(t, st, l, t.TempDir(), product.Bundle{Name: "both"})[0].Path), newRegistry(t)
	_, err := Push(t.Context(), []*Bundle{b}, to(r))
	says(t, err, "quay.example/acme/tool:1", "ghcr.example/acme/tool:1", r.host()+"/mirror/acme/tool:1")
	if calls, _ := r.reset(nil); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}
}

func TestPushStandIn(t *testing.T) {
	b := whole(t, 1000)
	for _, to := range []string{"registry.example/mirror", "127.0.0.1.example", "10.0.0.1:5000"} {
		_, err := Push(t.Context(), []*Bundle{b}, PushOptions{To: to, Registry: publish.Options{Transport: sealed{t}}})
		says(t, err, "stand-in", "loopback", to)
	}
}

// sealed is a transport that lets nothing through.
type sealed struct{ t *testing.T }

func (s sealed) RoundTrip(q *http.Request) (*http.Response, error) {
	s.t.Errorf("a request was sent: %s", q.URL)
	return nil, errors.New("sealed")
}

func TestPushTo(t *testing.T) {
	b := whole(t, 100)
	for to, want := range map[string]string{
		"":                       "names no host",
		"mirror":                 "names no host",
		"https://registry.local": "scheme",
		"registry.local/A":       "malformed prefix",
		"registry.local:x":       "malformed host",
	} {
		_, err := Push(t.Context(), []*Bundle{b}, PushOptions{To: to, Registry: publish.Options{Transport: sealed{t}}})
		says(t, err, "-to", want)
	}
}

// TestPushSparse pushes what is not complete to a registry that refuses that, and to one that takes it.
func TestPushSparse(t *testing.T) {
	t.Parallel()
	b, r := part(t, "linux/amd64"), newRegistry(t)
	_, err := Push(t.Context(), []*Bundle{b}, to(r))
	says(t, err, "only linux/amd64 of", "demo/agent:1.2.3", "for all platforms", "-platforms linux/amd64")
	if calls, _ := r.reset(nil); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}

	// go-containerregistry's registry refuses an index that lacks something.
	o := to(r)
	o.Platforms, o.Registry.Jobs = []string{"linux/amd64"}, 1
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "with all its platforms", "linux/arm64", "windows/amd64:10.0.17763.1", "for all platforms")

	// The bundle for all platforms completes it, and does not send again what is there.
	r.reset(nil)
	all := whole(t, 1000)
	p, err := Push(t.Context(), []*Bundle{all}, to(r))
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	calls, _ := r.reset(nil)
	agent := all.Contents().Images[0].Children[0]
	if n := count(calls, "PUT", agent.Layers[0].Digest.Hex); n != 0 {
		t.Error("a layer was sent again")
	}
	// Now the index is there, and with all its platforms.
	if p, err = Push(t.Context(), []*Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	for _, i := range p.Images {
		if len(i.Lacking) > 0 || !i.There {
			t.Errorf("%s lacks %v", i.Target, i.Lacking)
		}
	}
}

// TestPushTogether pushes the bundles for each platform: together they are complete, but for an attestation, which is in none.
func TestPushTogether(t *testing.T) {
	st, l := signed(t, 1000)
	l.ThirdParty = l.ThirdParty[1:]
	var parts []*Bundle
	for _, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		if strings.HasSuffix(f.Path, "amd64.tar.zst") || strings.HasSuffix(f.Path, "arm64.tar.zst") {
			parts = append(parts, opened(t, f.Path))
		}
	}
	r := newRegistry(t)
	p, err := Push(t.Context(), parts, to(r))
	if err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	if p.Referrers != 5 || len(p.Images) != 3 {
		t.Errorf("%d images were pushed and %d referrers", len(p.Images), p.Referrers)
	}

	// Another release of the same name does not mix.
	other, l2 := demo(t, 2000)
	parts = append(parts, opened(t, pack(t, other, l2, t.TempDir(), product.Bundle{Name: "other"})[0].Path))
	_, err = Push(t.Context(), parts, to(r))
	says(t, err, "slipway.local/demo/agent:1.2.3", "in one bundle and", "one release")
}

// lenient takes indexes whatever they lack, as Amazon's and GitHub's registries do: it has manifests alone.
func lenient(inner http.Handler) http.Handler {
	var mu sync.Mutex
	type doc struct {
		kind string
		raw  []byte
	}
	have := map[string]doc{}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		repo, which, ok := strings.Cut(q.URL.Path, "/manifests/")
		if !ok {
			inner.ServeHTTP(w, q)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if q.Method == http.MethodPut {
			raw, _ := io.ReadAll(q.Body)
			h, _, _ := v1.SHA256(strings.NewReader(string(raw)))
			have[repo+which] = doc{q.Header.Get("Content-Type"), raw}
			have[repo+h.String()] = have[repo+which]
			w.WriteHeader(http.StatusCreated)
			return
		}
		d, ok := have[repo+which]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h, _, _ := v1.SHA256(strings.NewReader(string(d.raw)))
		w.Header().Set("Content-Type", d.kind)
		w.Header().Set("Docker-Content-Digest", h.String())
		http.ServeContent(w, q, "", time.Time{}, strings.NewReader(string(d.raw)))
	})
}

func TestPushPlatforms(t *testing.T) {
	b, r := whole(t, 1000), newRegistry(t)
	r.inner = lenient(r.inner)
	o := to(r)
	o.Platforms = []string{"windows/amd64:ltsc2022"}
	p, err := Push(t.Context(), []*Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range p.Images {
		names = append(names, i.Name)
	}
	if want := []string{"slipway.local/demo/agent:1.2.3"}; !slices.Equal(names, want) || len(p.Images[0].Lacking) != 4 || len(p.LeftOut) != 4 {
		t.Errorf("pushed %v, lacking %v, left out %v", names, p.Images[0].Lacking, p.LeftOut)
	}
	calls, _ := r.reset(nil)
	if n := count(calls, "PUT", "/manifests/"); n != 2 {
		t.Errorf("%d manifests were pushed, want one and its index", n)
	}

	// All of it now: the tag is there, what stands below it is not.
	o.Platforms = nil
	if p, err = Push(t.Context(), []*Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	pull(t, p)
	for _, i := range p.Images {
		if i.There || len(i.Lacking) > 0 {
			t.Errorf("%s: there %v, lacking %v", i.Name, i.There, i.Lacking)
		}
	}

	o.Platforms = []string{"linux/s390x"}
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "-platforms linux/s390x", "no image")
	o.Platforms = []string{"plan9"}
	_, err = Push(t.Context(), []*Bundle{b}, o)
	says(t, err, "-platforms", "plan9")
}

// TestPushDamaged flips a byte of a layer: the registry never has it, and no name stands for what is not whole.
func TestPushDamaged(t *testing.T) {
	st, l := demo(t, 1000)
	add(t, st, l, "large", plain(t, noise("", 3<<20)))
	path := pack(t, st, l, t.TempDir(), product.Bundle{Name: "large"})[0].Path
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1 // the large layer fills the middle
	path = filepath.Join(t.TempDir(), "damaged.tar.zst")
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	b, r := opened(t, path), newRegistry(t)
	_, err = Push(t.Context(), []*Bundle{b}, to(r))
	says(t, err, "damaged", "large")
	calls, _ := r.reset(nil)
	if n := count(calls, "PUT", "/manifests/"); n != 0 || count(calls, "PATCH", "") > len(b.Contents().Images)*10 {
		t.Errorf("%d manifests were pushed, %d blobs tried", n, count(calls, "PATCH", ""))
	}
	at := slices.IndexFunc(b.Contents().Images, func(i Image) bool { return strings.Contains(i.Name, "/large:") })
	if layer := b.Contents().Images[at].Children[0].Layers[0]; count(calls, "PUT", layer.Digest.Hex) != 0 {
		t.Error("the damaged blob was said to be complete")
	}
}

func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}
