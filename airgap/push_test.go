package airgap_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

func TestPush(t *testing.T) {
	b, r := bundletest.Whole(t, 5000), registrytest.Serve(t)
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
	var targets []string
	blobs, bytes := map[v1.Hash]bool{}, b.Contents().LayerBytes
	for n, i := range b.Contents().Images {
		targets = append(targets, strings.TrimPrefix(p.Images[n].Target, r.Host()))
		for _, c := range i.Included() {
			if !blobs[c.Config.Digest] {
				bytes += c.Config.Size
			}
			blobs[c.Config.Digest] = true
			for _, l := range c.Layers {
				blobs[l.Digest] = true
			}
		}
	}
	if want := []string{
		"/mirror/demo/agent:1.2.3", "/mirror/demo/server:1.2.3", "/mirror/demo/lifecycle:1.2.3",
		"/mirror/library/pause:3.9",
	}; !slices.Equal(targets[:4], want) {
		t.Errorf("the images are at %v, want %v", targets[:4], want)
	}
	calls, sent := r.Reset()
	if n := registrytest.Count(calls, "PATCH", ""); n != len(blobs) || p.Blobs != int64(n) {
		t.Errorf("%d blobs were sent, the bundle has %d, the result says %d", n, len(blobs), p.Blobs)
	}
	puts := registrytest.Count(calls, "PUT", "/manifests/")
	named := 0
	for _, c := range calls {
		if strings.HasPrefix(c, "PUT ") && strings.Contains(c, "/manifests/") && !strings.Contains(c, "sha256:") {
			named++
		}
	}
	if n := registrytest.Count(calls, "HEAD", "/manifests/"); n != len(p.Images)+puts+named+1 {
		t.Errorf("%d manifests were asked for, want one per name that is not there (%d), each of the "+
			"%d that were put, each of %d tags just before, and the first tag at the end", n, len(p.Images),
			puts, named)
	}
	if sent < bytes || p.Bytes != sent {
		t.Errorf("%d bytes were sent, the blobs have %d, the result says %d", sent, bytes, p.Bytes)
	}

	// Once more: nothing but questions.
	p, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	if err != nil {
		t.Fatal(err)
	}
	calls, sent = r.Reset()
	if n := registrytest.Count(calls, "HEAD", "/manifests/"); n != len(calls) || sent != 0 || p.Blobs != 0 {
		t.Errorf("the second push sent %d bytes and asked %v", sent, calls)
	}
	for _, i := range p.Images {
		if !i.Existed {
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
		bundletest.Add(t, st, l, "more-"+string(rune('a'+n)),
			bundletest.Plain(t, bundletest.Noise(string(rune('a'+n)), 100)))
	}
	b, r := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "many"})[0].Path),
		registrytest.Serve(t)
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r)); err != nil {
		t.Fatal(err)
	}
	r.Reset()
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Images) != 20 {
		t.Errorf("the bundle has %d images, not 20", len(p.Images))
	}
	if calls, sent := r.Reset(); sent != 0 || len(calls) > 20+25 {
		t.Errorf("it asked %d times and sent %d bytes", len(calls), sent)
	}
}

// TestPushResumes interrupts a push in a blob: the next one sends what is lacking, and that only.
func TestPushResumes(t *testing.T) {
	t.Parallel()
	b, r := bundletest.Whole(t, 200_000), registrytest.Serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	var patches atomic.Int32
	r.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPatch {
			return false
		}
		if patches.Add(1) < 4 {
			return false
		}
		cancel()
		panic(http.ErrAbortHandler)
	})
	o := bundletest.To(r)
	o.Registry.Jobs = 1
	if _, err := airgap.Push(ctx, []*bundle.Bundle{b}, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	r.Disturb(nil)
	calls, _ := r.Reset()
	if n := registrytest.Count(calls, "PUT", "/manifests/"); n != 0 {
		t.Errorf("%d manifests were pushed before their blobs", n)
	}
	done := registrytest.Count(calls, "PUT", "/blobs/uploads/")
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
	calls, _ = r.Reset()
	var blobs int64
	for _, c := range calls {
		if strings.HasPrefix(c, "PATCH") {
			blobs++
		}
	}
	if done != 3 || p.Blobs != blobs {
		t.Errorf("%d blobs before, %d after, the result says %d", done, blobs, p.Blobs)
	}

	// A manifest of an index that is tagged got lost: it alone is pushed, with its blobs.
	i := b.Contents().Images[0]
	lost := "/mirror/demo/agent/manifests/" + i.Included()[4].Desc.Digest.String()
	var asked atomic.Bool
	r.Reset()
	r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodHead && strings.HasSuffix(q.URL.Path, lost) && asked.CompareAndSwap(false, true) {
			registrytest.Lacks(w)
			return true
		}
		return false
	})
	if p, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	calls, _ = r.Reset()
	if n := registrytest.Count(calls, "PUT", ""); p.Images[0].Existed ||
		n != 3 || registrytest.Count(calls, "PUT", lost) != 1 {
		t.Errorf("the lost manifest was to be pushed, its index and the tag: %v", calls)
	}
	if n := registrytest.Count(calls, "HEAD", "/blobs/"); n != len(i.Included()[4].Layers)+1 {
		t.Errorf("%d blobs were looked for, want those of the lost manifest", n)
	}
}

// TestPushRetries answers with what registries answer on a bad day.
func TestPushRetries(t *testing.T) {
	b, r := bundletest.Whole(t, 5000), registrytest.Serve(t)
	var n atomic.Int32
	r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		k := n.Add(1)
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
	o := bundletest.To(r)
	// how the requests interleave decides which one meets trouble, and how often in a row
	o.Registry.Attempts = 100
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Disturb(nil)
	bundletest.Pull(t, p)
}

func TestPushConflict(t *testing.T) {
	b, r := bundletest.Whole(t, 1000), registrytest.Serve(t)
	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(r.Host() + "/mirror/demo/server:1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, other); err != nil {
		t.Fatal(err)
	}
	r.Reset()
	have, _ := other.Digest()
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	bundletest.Says(t, err, ref.Name(), have.String(), b.Contents().Images[1].Digest().String(), "another prefix")
	calls, _ := r.Reset()
	if n := registrytest.Count(calls, "POST", "") + registrytest.Count(calls, "PUT", "") +
		registrytest.Count(calls, "PATCH", ""); n != 0 {
		t.Errorf("%d requests to write before the conflict was found", n)
	}
}

// TestPushCollision packs two images that differ in the host alone.
func TestPushCollision(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	for _, host := range []string{"quay.example", "ghcr.example"} {
		i := storetest.Index(t, st, "tool", storetest.Child{
			Platform: bundletest.Parse(t, "linux/amd64"),
			Layers:   []v1.Layer{storetest.Layer(t, "tool", host, 100)},
		})
		l.ThirdParty = append(l.ThirdParty, lock.ThirdParty{
			Reference: host + "/acme/tool:1",
			MediaType: types.OCIImageIndex, Digest: i.Digest, Size: i.Size,
		})
	}
	b, r := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "both"})[0].Path),
		registrytest.Serve(t)
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	bundletest.Says(t, err, "quay.example/acme/tool:1", "ghcr.example/acme/tool:1", r.Host()+"/mirror/acme/tool:1")
	if calls, _ := r.Reset(); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}
}

func TestPushStubBases(t *testing.T) {
	b := bundletest.Whole(t, 1000)
	for _, to := range []string{"registry.example/mirror", "127.0.0.1.example", "10.0.0.1:5000"} {
		_, err := airgap.Push(t.Context(), []*bundle.Bundle{b},
			airgap.PushOptions{Snapshot: true, To: to, Registry: network.Options{Transport: sealed{t}}})
		bundletest.Says(t, err, "stub bases", "loopback", to)
	}
}

// sealed is a transport that lets nothing through.
type sealed struct{ t *testing.T }

func (s sealed) RoundTrip(q *http.Request) (*http.Response, error) {
	s.t.Errorf("a request was sent: %s", q.URL)
	return nil, errors.New("sealed")
}

func TestPushTo(t *testing.T) {
	b := bundletest.Whole(t, 100)
	for to, want := range map[string]string{
		"":                       "names no host",
		"mirror":                 "names no host",
		"https://registry.local": "scheme",
		"registry.local/A":       "malformed prefix",
		"registry.local:x":       "malformed host",
	} {
		_, err := airgap.Push(t.Context(), []*bundle.Bundle{b},
			airgap.PushOptions{Snapshot: true, To: to, Registry: network.Options{Transport: sealed{t}}})
		bundletest.Says(t, err, "-to", want)
	}
}

// TestPushDamaged flips a byte of a layer: the registry never has it, and no name refers to an
// incomplete image.
func TestPushDamaged(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	bundletest.Add(t, st, l, "large", bundletest.Plain(t, bundletest.Noise("", 3<<20)))
	path := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "large"})[0].Path
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1 // the large layer fills the middle
	path = filepath.Join(t.TempDir(), "damaged.tar.zst")
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	b, r := bundletest.Opened(t, path), registrytest.Serve(t)
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	bundletest.Says(t, err, "damaged", "large")
	calls, _ := r.Reset()
	if n := registrytest.Count(calls, "PUT", "/manifests/"); n != 0 ||
		registrytest.Count(calls, "PATCH", "") > len(b.Contents().Images)*10 {
		t.Errorf("%d manifests were pushed, %d blobs tried", n, registrytest.Count(calls, "PATCH", ""))
	}
	at := slices.IndexFunc(b.Contents().Images, func(i bundle.Image) bool {
		return strings.Contains(i.Name, "/large:")
	})
	if layer := b.Contents().Images[at].Included()[0].Layers[0]; registrytest.Count(calls, "PUT",
		layer.Digest.Hex) != 0 {
		t.Error("the damaged blob was said to be complete")
	}
}
