package airgap

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

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
	puts := count(calls, "PUT", "/manifests/")
	if n := count(calls, "HEAD", "/manifests/"); n != len(p.Images)+puts {
		t.Errorf("%d manifests were asked for, want one per name that is not there, and each of the %d that were put", n, puts)
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

// TestPushAgain sees by two questions for an image that 20 of them are there. How long that takes
// is for the benchmark to say.
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
	r.reset(func(_ http.ResponseWriter, q *http.Request) bool {
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
	})
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
	r.reset(func(w http.ResponseWriter, q *http.Request) bool {
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
	})
	o := to(r)
	// how the requests interleave decides which one meets trouble, and how often in a row
	o.Registry.Attempts = 100
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
		_, err := Push(t.Context(), []*Bundle{b}, PushOptions{To: to, Registry: network.Options{Transport: sealed{t}}})
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
		_, err := Push(t.Context(), []*Bundle{b}, PushOptions{To: to, Registry: network.Options{Transport: sealed{t}}})
		says(t, err, "-to", want)
	}
}

// TestPushDamaged flips a byte of a layer: the registry never has it, and no name stands for what
// is not whole.
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
