package airgap_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/crane"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// named gives the first image of a release two tags, one for a platform, and one that floats.
func named(l *lock.Lock) {
	i := &l.Images[0]
	linux := i.Children[0]
	i.Tags = []string{l.Version, l.Version + "-again"}
	i.PlatformTags = []lock.PlatformTag{{
		Tag: l.Version + "-linux-amd64", Platforms: platforms(linux),
		MediaType: linux.MediaType, Digest: linux.Digest, Size: linux.Size,
	}}
	i.FloatingTags = []lock.FloatingTag{{Tag: "latest", Repository: i.Repository}}
}

// release packs a release of that version for all platforms. Its first image differs from that of
// any other.
func release(t *testing.T, st *store.Store, version string) (*bundle.Bundle, string) {
	t.Helper()
	l := storetest.Release(t, st, 1000)
	l.Version, l.Registry, l.Images = version, "slipway.local", l.Images[:2]
	storetest.Versioned(t, st, &l.Images[0], version)
	for n := range l.Images {
		i := &l.Images[n]
		i.Repository, i.Tags = "slipway.local/demo/"+i.Name, []string{version}
	}
	named(l)
	path := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "all"})[0].Path
	return bundletest.Opened(t, path), path
}

// TestPushFloating pushes one release after another: every name gets there, each blob is sent once,
// and the floating tag moves last, and only to a newer version.
func TestPushFloating(t *testing.T) {
	st, r := storetest.Open(t), registrytest.Serve(t)
	const latest = "/mirror/demo/agent:latest"
	var now v1.Hash
	for _, c := range []struct {
		version, rule, kept string
		moves               bool
	}{
		{version: "1.2.0", moves: true},
		{version: "1.10.0", moves: true},
		{version: "1.3.0", kept: "1.3.0 is below 1.10.0, which it names"},
		{version: "1.3.0", rule: "move", moves: true},
		{version: "1.4.0", rule: "keep", kept: "-floating=keep"},
	} {
		b, _ := release(t, st, c.version)
		o := bundletest.To(r)
		o.Floating = c.rule
		r.Reset()
		p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
		if err != nil {
			t.Fatal(err)
		}
		bundletest.Pull(t, p)
		lastPut(t, r, "latest", c.moves)
		agent := b.Contents().Images[0]
		want := airgap.PushedTag{
			Name: "slipway.local/demo/agent:latest", Target: r.Host() + latest,
			Digest: agent.Digest(), From: now, Kept: c.kept,
		}
		if c.rule == "keep" {
			want.From = v1.Hash{} // the registry was not asked
		}
		if diff := cmp.Diff([]airgap.PushedTag{want}, p.FloatingTags); diff != "" {
			t.Errorf("%s: the floating tags differ (-want +got):\n%s", c.version, diff)
		}
		if c.moves {
			now = agent.Digest()
		}
		for tag, want := range map[string]v1.Hash{
			c.version: agent.Digest(), c.version + "-again": agent.Digest(), "latest": now,
			c.version + "-linux-amd64": agent.Manifests[0].Desc.Digest,
		} {
			if got, err := crane.Digest(r.Host() + "/mirror/demo/agent:" + tag); err != nil || got != want.String() {
				t.Errorf("%s is %s, want %s: %v", tag, got, want, err)
			}
		}
	}
	b, _ := release(t, st, "1.5.0")
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, airgap.PushOptions{Snapshot: true, To: r.Host(), Floating: "always"})
	bundletest.Says(t, err, `-floating="always" is invalid`, "forward, move or keep")
}

// lastPut checks that a tag was put after everything else, or not at all, and each blob sent once.
func lastPut(t *testing.T, r *registrytest.Server, tag string, put bool) {
	t.Helper()
	calls, _ := r.Reset()
	sent := map[string]bool{}
	var last string
	for _, c := range calls {
		method, rest, _ := strings.Cut(c, " ")
		if method != http.MethodPut && method != http.MethodPost {
			continue
		}
		last = c
		if _, digest, ok := strings.Cut(rest, "digest="); ok {
			if sent[digest] {
				t.Errorf("blob %s was sent twice", digest)
			}
			sent[digest] = true
		}
	}
	if is := strings.HasSuffix(last, "/manifests/"+tag); is != put ||
		registrytest.Count(calls, http.MethodPut, "/manifests/"+tag) > 1 {
		t.Errorf("%s was put last: %t, want %t, of %v", tag, is, put, calls)
	}
}

// TestPushFloatingDelta pushes a delta together with its base: the floating tag is that of the
// later release, whichever comes first.
func TestPushFloatingDelta(t *testing.T) {
	st := storetest.Open(t)
	older, _ := release(t, st, "1.2.0")
	newer, _ := release(t, st, "1.10.0")
	for _, list := range [][]*bundle.Bundle{{older, newer}, {newer, older}} {
		r := registrytest.Serve(t)
		p, err := airgap.Push(t.Context(), list, bundletest.To(r))
		if err != nil {
			t.Fatal(err)
		}
		if want := newer.Contents().Images[0].Digest(); len(p.FloatingTags) != 1 || p.FloatingTags[0].Digest != want {
			t.Errorf("the floating tags are %v, want %s", p.FloatingTags, want)
		}
		for _, tag := range []string{"1.2.0", "1.10.0", "1.2.0-linux-amd64", "latest"} {
			if _, err := crane.Digest(r.Host() + "/mirror/demo/agent:" + tag); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPushFloatingFails ends a push at its last document but the floating tag: that has not moved.
func TestPushFloatingFails(t *testing.T) {
	st, r := storetest.Open(t), registrytest.Serve(t)
	b, _ := release(t, st, "1.2.0")
	r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPut || !strings.HasSuffix(q.URL.Path, "server/manifests/1.2.0") {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r)); err == nil {
		t.Fatal("it is pushed")
	}
	if calls, _ := r.Reset(); registrytest.Count(calls, http.MethodPut, "/manifests/latest") != 0 {
		t.Error("a floating tag has moved")
	}
}

// TestPushFullVersion: no mark in a bundle gives an image the tag of another release as a floating
// one.
func TestPushFullVersion(t *testing.T) {
	r := registrytest.Serve(t)
	_, path := release(t, storetest.Open(t), "1.2.0")
	e := bundletest.Clone(bundletest.Headers(t, path))
	for _, n := range []int{0, 2} {
		e[n].Data = bytes.ReplaceAll(e[n].Data, []byte("agent:latest"), []byte("agent:1.3.0"))
	}
	b := bundletest.Opened(t, bundletest.Write(t, bundletest.Forge(t, e)))
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, airgap.PushOptions{Snapshot: true, To: r.Host() + "/mirror"})
	bundletest.Says(t, err,
		"slipway.local/demo/agent:1.3.0 is marked as a floating tag, and a full version never moves")
	if n := r.Count(http.MethodPut, ""); n > 0 {
		t.Errorf("%d requests changed the registry", n)
	}
}
