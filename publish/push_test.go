package publish_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
)

func TestPush(t *testing.T) {
	p, st, l := cut(t, 5000)
	s := registrytest.Serve(t)
	p.Registry = s.Host() + "/acme"
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	if out.Snapshot || out.Images[0].Tagged() != s.Host()+"/acme/demo/agent:1.2.3" {
		t.Errorf("the lock names %s, snapshot %v", out.Images[0].Tagged(), out.Snapshot)
	}
	registrytest.Validate(t, out)

	// The embedded registry of go-containerregistry keeps blobs for all repositories in one
	// place, so a blob is sent once if it asked before. No blob may be sent twice anyway, and
	// manifests come before the tags.
	all := blobs(t, st, out)
	var bytes int64
	for h := range all {
		n, err := st.Size(h)
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
	}
	if got, want := s.Count("PATCH", "/blobs/uploads/"), len(all); got != want {
		t.Errorf("%d blobs were sent, the release has %d", got, want)
	}
	calls, sent := s.Reset()
	if sent != bytes {
		t.Errorf("%d bytes were sent, the blobs have %d", sent, bytes)
	}
	tagged := false
	for _, c := range calls {
		if strings.HasPrefix(c, "PUT ") && strings.HasSuffix(c, ":1.2.3") || strings.HasSuffix(c, "/manifests/1.2.3") &&
			strings.HasPrefix(c, "PUT ") {
			tagged = true
		} else if tagged && strings.HasPrefix(c, "PUT ") {
			t.Errorf("%s came after a tag", c)
		}
	}

	// Once more: a HEAD per image and one per tag, requests for the referrers of the images, and
	// nothing else.
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err != nil {
		t.Fatal(err)
	}
	calls, sent = s.Reset()
	heads := 0
	for _, c := range calls {
		switch {
		case strings.HasPrefix(c, "HEAD "):
			heads++
		case !strings.HasPrefix(c, "GET ") || !strings.Contains(c, "/referrers/sha256:") &&
			!strings.Contains(c, "/manifests/sha256-") && !strings.Contains(c, "/tags/list"):
			t.Errorf("the second run asked %s", c)
		}
	}
	if heads != 2*len(l.Images) || sent != 0 {
		t.Errorf("the second run sent %d bytes and asked %v", sent, calls)
	}
}

func TestMount(t *testing.T) {
	p, st, l := cut(t, 5000)
	s := registrytest.Serve(t)
	// A registry that separates repositories, as real ones do: a blob is there where it was sent or
	// mounted.
	s.Inner = registrytest.Separate(s.Inner)
	p.Registry = s.Host()
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Validate(t, out)
	all, mounts := blobs(t, st, out), 0
	for _, repos := range all {
		mounts += len(repos) - 1
	}
	if mounts == 0 {
		t.Fatal("the release shares no blob")
	}
	if got := s.Count("PATCH", "/blobs/uploads/"); got != len(all) {
		t.Errorf("%d blobs were sent, the release has %d", got, len(all))
	}
	if got := s.Count("POST", "from=demo%2F"); got != mounts {
		t.Errorf("%d blobs were mounted, want %d", got, mounts)
	}
}

func TestMountFromBase(t *testing.T) {
	p, st, l := cut(t, 5000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	l.Images[0].Children[0].Base = &lock.Base{Name: s.Host() + "/bases/static@" +
		l.Images[0].Children[0].Digest.String(), Digest: l.Images[0].Children[0].Digest}
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err != nil {
		t.Fatal(err)
	}
	if s.Count("POST", "from=bases%2Fstatic") == 0 {
		t.Error("no blob was to be mounted from the base's repository")
	}
}

func TestTagConflict(t *testing.T) {
	p, st, l := cut(t, 1000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(s.Host() + "/demo/server:1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, other); err != nil {
		t.Fatal(err)
	}
	s.Reset()
	_, err = publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	have, _ := other.Digest()
	want := l.Images[1].Digest
	for _, part := range []string{"demo/server:1.2.3", have.String(), want.String()} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not name %s: %v", part, err)
		}
	}
	if n := s.Count("POST", "") + s.Count("PUT", ""); n != 0 {
		t.Errorf("%d requests to write before the conflict was found", n)
	}
}

// TestRace pushes a release while another one takes a tag of it: before it puts its first tag, and
// just after.
func TestRace(t *testing.T) {
	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, part, says string
		puts                     int // of tags, by the release
	}{
		{
			"while blobs are sent", http.MethodPost,
			"/blobs/uploads/", "another push took the tag while this one sent blobs: publishing ", 0,
		},
		{"after a tag is put", http.MethodHead, "/manifests/1.2.3", "another run may push the same name", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, st, l := cut(t, 1000)
			s := registrytest.Serve(t)
			p.Registry = s.Host()
			first := s.Repo(t, "demo/"+l.Images[0].Name).Tag("1.2.3")
			var puts, taken atomic.Int32
			s.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
				if q.Header.Get("User-Agent") == "" || taken.Load() == 1 {
					return false
				}
				isTag := strings.HasSuffix(q.URL.Path, "/manifests/1.2.3")
				if q.Method == http.MethodPut && isTag {
					puts.Add(1)
				}
				if q.Method == c.method && strings.Contains(q.URL.Path, c.part) && puts.Load() == int32(c.puts) &&
					taken.CompareAndSwap(0, 1) {
					if err := remote.Write(first, other); err != nil {
						t.Error(err)
					}
					taken.Store(2)
				}
				return false
			})
			_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), first.String()) {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if n := int(puts.Load()); n != c.puts {
				t.Errorf("%d tags were put, want %d", n, c.puts)
			}
			if have, err := remote.Head(first); err != nil || have.Digest != must(other.Digest()) {
				t.Errorf("the tag is %v, %v", have, err)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestDamagedBlob(t *testing.T) {
	p, st, l := cut(t, 5000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	img, err := st.Image(l.Images[1].Children[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	layer := m.Layers[0]
	b, err := os.ReadFile(st.Path(layer.Digest))
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(st.Path(layer.Digest), b, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	for _, part := range []string{"server", st.Path(layer.Digest), "is damaged", "slipway store verify -repair"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not name %s: %v", part, err)
		}
	}
	if n := s.Count("PUT", layer.Digest.Hex); n != 0 {
		t.Error("the damaged blob was sent")
	}
	if n := s.Count("PUT", "manifests/1.2.3"); n != 0 {
		t.Error("tags were pushed all the same")
	}

	// A blob that is short is found before the registry is asked at all: another one, as requests
	// of the first push may still reach that.
	s = registrytest.Serve(t)
	p.Registry = s.Host()
	if err := os.Truncate(st.Path(layer.Digest), 10); err != nil {
		t.Fatal(err)
	}
	_, err = publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err == nil || !strings.Contains(err.Error(), "is damaged: "+st.Path(layer.Digest)) {
		t.Errorf("a blob cut short: %v", err)
	}
	if calls, _ := s.Reset(); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}
}

func TestCancel(t *testing.T) {
	p, st, l := cut(t, 5000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	ctx, cancel := context.WithCancel(t.Context())
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodPatch {
			cancel()
			panic(http.ErrAbortHandler)
		}
		return false
	})
	_, err := publish.Publish(ctx, p, st, storetest.Built(l), quick)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if n := s.Count("PUT", "manifests/"); n != 0 {
		t.Errorf("%d manifests were pushed after the end", n)
	}
	// The next run goes on.
	s.Disturb(nil)
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Validate(t, out)
}

func TestStubBase(t *testing.T) {
	p, st, l := cut(t, 1000)
	made := lock.Base{
		Name:   "mcr.microsoft.com/windows/nanoserver:ltsc2025@" + l.Images[0].Digest.String(),
		Digest: l.Images[0].Digest, Stub: true,
	}
	child := &l.Images[0].Children[2]
	for _, tt := range []struct {
		registry string
		refused  bool
	}{
		{"", false},
		{registrytest.Serve(t).Host(), false},
		{"registry.example.com/acme", true},
		{"127.0.0.1.example.com", true},
		{"10.0.0.1:5000", true},
	} {
		for name, stand := range map[string]func(){
			"a base":               func() { child.Base, child.CopiedFrom = &made, nil },
			"what files come from": func() { child.Base, child.CopiedFrom = nil, []lock.Base{made} },
		} {
			stand()
			p.Registry = tt.registry
			o := quick
			o.Transport = sealed{o.Transport, !tt.refused}
			_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
			if refused := err != nil && strings.Contains(err.Error(), "a stub base"); refused != tt.refused ||
				err != nil && !refused {
				t.Errorf("registry %q, %s: %v", tt.registry, name, err)
			}
		}
	}
}

// sealed is a transport that lets requests through only where that is expected.
type sealed struct {
	inner http.RoundTripper
	open  bool
}

func (s sealed) RoundTrip(q *http.Request) (*http.Response, error) {
	if !s.open {
		panic("a request was sent: " + q.URL.String())
	}
	return http.DefaultTransport.RoundTrip(q)
}

func BenchmarkPublish(b *testing.B) {
	p, st, l := cut(b, 4<<20)
	for b.Loop() {
		s := registrytest.Serve(b)
		p.Registry = s.Host()
		if _, err := publish.Publish(b.Context(), p, st, storetest.Built(l), quick); err != nil {
			b.Fatal(err)
		}
		_, sent := s.Reset()
		b.SetBytes(sent)
		s.Close()
	}
}
