package registries

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/publish/promote"
)

// kinds are the registries that releases are promoted between. go-containerregistry's knows the
// referrers API; the others have tags in its place.
var kinds = map[string]func(*testing.T) software{
	"distribution 3": func(t *testing.T) software { return distribution3(t, false, false) },
	"Debian":         func(t *testing.T) software { return debian(t, false) },
	"go-containerregistry": func(t *testing.T) software {
		return software{host: registrytest.Serve(t).Host()}
	},
}

// stage publishes a release, and puts artifacts about it beside it: one for the index, one for its
// Windows manifest, one for the first artifact, and a signature of cosign.
func stage(t *testing.T, r software) (l *lock.Lock, about []v1.Hash) {
	t.Helper()
	p, st, built := cut(t)
	p.Registry = r.host + "/staging"
	p.Images[0].FloatingTags = []string{"latest"}
	l, err := publish.Publish(t.Context(), p, st, storetest.Built(built), network.Options{Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	i := l.Images[0]
	repo, err := name.NewRepository(i.Repository)
	if err != nil {
		t.Fatal(err)
	}
	attach := func(subject v1.Descriptor, text, tag string) v1.Descriptor {
		t.Helper()
		img, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
			static.NewLayer([]byte(text), "text/plain"))
		if err != nil {
			t.Fatal(err)
		}
		var ref name.Reference = repo.Tag(tag)
		if tag == "" {
			img = mutate.Subject(img, subject).(v1.Image)
		}
		h, err := img.Digest()
		if err != nil {
			t.Fatal(err)
		}
		if tag == "" {
			ref = repo.Digest(h.String())
		}
		if err := remote.Write(ref, img); err != nil {
			t.Fatal(err)
		}
		raw, err := img.RawManifest()
		if err != nil {
			t.Fatal(err)
		}
		about = append(about, h)
		return v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: h, Size: int64(len(raw))}
	}
	windows := i.Children[2]
	sbom := attach(i.Descriptor(), "an SBOM", "")
	attach(v1.Descriptor{MediaType: windows.MediaType, Digest: windows.Digest, Size: windows.Size}, "about Windows", "")
	attach(sbom, "about the SBOM", "")
	attach(i.Descriptor(), "a signature", "sha256-"+i.Digest.Hex+".sig")
	return l, about
}

// TestPromote promotes a release from every kind of registry to every other kind, twice.
func TestPromote(t *testing.T) {
	for from, start := range kinds {
		for to, end := range kinds {
			if from == to {
				continue
			}
			t.Run(from+" to "+to, func(t *testing.T) {
				source, target := start(t), end(t)
				l, about := stage(t, source)
				counter := &counting{inner: http.DefaultTransport}
				o := promote.Options{
					To:       []string{target.host + "/final"},
					Registry: network.Options{Wait: time.Millisecond, Transport: counter},
				}
				if _, err := promote.Lock(t.Context(), l, o); err != nil {
					t.Fatal(err)
				}
				promoted(t, target, l, about)
				counter.writes.Store(0)
				again, err := promote.Lock(t.Context(), l, o)
				if err != nil {
					t.Fatal(err)
				}
				if n := counter.writes.Load(); n != 0 || again.Destinations[0].Blobs != 0 {
					t.Errorf("the second promotion wrote %d times", n)
				}
			})
		}
	}
}

// promoted pulls a promoted release, every platform of it, and looks for its referrers.
func promoted(t *testing.T, r software, l *lock.Lock, about []v1.Hash) {
	t.Helper()
	at := *l
	at.Images = append([]lock.Image{}, l.Images...)
	for n := range at.Images {
		at.Images[n].Repository = r.host + "/final" + strings.TrimPrefix(l.Images[n].Repository, l.Registry)
	}
	pullBack(t, r, &at)
	repo, err := name.NewRepository(at.Images[0].Repository)
	if err != nil {
		t.Fatal(err)
	}
	latest, err := remote.Head(repo.Tag("latest"))
	if err != nil || latest.Digest != at.Images[0].Digest {
		t.Errorf("latest is %v, %v", latest, err)
	}
	for subject, want := range map[v1.Hash]v1.Hash{
		at.Images[0].Digest:             about[0],
		at.Images[0].Children[2].Digest: about[1], about[0]: about[2],
	} {
		idx, err := remote.Referrers(repo.Digest(subject.String()))
		if err != nil {
			t.Fatal(err)
		}
		m, err := idx.IndexManifest()
		if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Digest != want {
			t.Errorf("%s has the referrers %+v, want %s; %v", subject, m, want, err)
		}
		if _, err := remote.Image(repo.Digest(want.String())); err != nil {
			t.Error(err)
		}
	}
	if d, err := remote.Head(repo.Tag("sha256-" + at.Images[0].Digest.Hex + ".sig")); err != nil ||
		d.Digest != about[3] {
		t.Errorf("the signature is %v, %v", d, err)
	}
}

// TestPromoteBroken promotes while one blob cannot be read: no tag is at the destination, and the
// next run completes it.
func TestPromoteBroken(t *testing.T) {
	source, target := distribution3(t, false, false), debian(t, false)
	l, about := stage(t, source)
	lost := l.Images[1].Children[0].Config.String()
	broken := transport(func(q *http.Request) (*http.Response, error) {
		if q.Method == http.MethodGet && strings.HasSuffix(q.URL.Path, "/blobs/"+lost) {
			return nil, errors.New("the disk is full of holes")
		}
		return http.DefaultTransport.RoundTrip(q)
	})
	o := promote.Options{
		To:       []string{target.host + "/final"},
		Registry: network.Options{Wait: time.Millisecond, Transport: broken},
	}
	if _, err := promote.Lock(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "full of holes") {
		t.Errorf("got %v", err)
	}
	for _, i := range l.Images {
		repo, err := name.NewRepository(target.host + "/final" + strings.TrimPrefix(i.Repository, l.Registry))
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range append(i.Tags, "latest") {
			if d, err := remote.Head(repo.Tag(tag)); err == nil {
				t.Errorf("%s is tagged: %s", repo.Tag(tag), d.Digest)
			}
		}
	}
	o.Registry.Transport = nil
	if _, err := promote.Lock(t.Context(), l, o); err != nil {
		t.Fatal(err)
	}
	promoted(t, target, l, about)
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

// TestPromoteInterrupted stops a promotion at many of its requests, and lets the next
// run complete it.
func TestPromoteInterrupted(t *testing.T) {
	source := distribution3(t, false, false)
	l, about := stage(t, source)
	for n := int64(1); ; n += 17 {
		target := distribution3(t, false, false)
		ctx, stop := context.WithCancel(t.Context())
		var requests atomic.Int64
		cut := transport(func(q *http.Request) (*http.Response, error) {
			if requests.Add(1) >= n {
				stop()
			}
			return http.DefaultTransport.RoundTrip(q)
		})
		o := promote.Options{
			To:       []string{target.host + "/final"},
			Registry: network.Options{Wait: time.Millisecond, Transport: cut},
		}
		_, err := promote.Lock(ctx, l, o)
		stop()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at request %d: %v", n, err)
		}
		o.Registry.Transport = nil
		if _, err := promote.Lock(t.Context(), l, o); err != nil {
			t.Fatalf("after it was stopped at request %d: %v", n, err)
		}
		promoted(t, target, l, about)
		if t.Failed() {
			t.Fatalf("stopped at request %d", n)
		}
	}
}
