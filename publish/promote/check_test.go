package promote_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/promote"
)

// TestBadInput promotes what cannot be: each mistake is named, and no registry is asked.
func TestBadInput(t *testing.T) {
	g := stage(t)
	final := separate(t)
	for name, tt := range map[string]struct {
		change func(l *lock.Lock, o *promote.Options)
		want   []string
	}{
		"onto itself": {
			func(l *lock.Lock, o *promote.Options) { o.To = []string{l.Registry} },
			[]string{"promoting agent: ", "/staging/demo/agent would be promoted onto itself", "promoting lifecycle: "},
		},
		"onto itself by a rename": {
			func(_ *lock.Lock, o *promote.Options) {
				o.To, o.Renames = []string{g.at.Host()},
					[]promote.Rename{{Old: "demo/agent", New: "staging/demo/agent"}}
			},
			[]string{"promoting agent: ", "another path with -rename"},
		},
		"snapshot": {func(l *lock.Lock, _ *promote.Options) {
			l.Snapshot = true
		}, []string{"promoting demo 1.2.3: it is a snapshot", "-registry"}},
		"no destination": {func(_ *lock.Lock, o *promote.Options) { o.To = nil }, []string{"-to is missing"}},
		"destination twice": {func(_ *lock.Lock, o *promote.Options) {
			o.To = append(o.To, o.To...)
		}, []string{"-to names " + final.Host() + " twice"}},
		"no registry": {
			func(_ *lock.Lock, o *promote.Options) { o.To, o.From = []string{"final"}, "staging" },
			[]string{`-to "final" names no host`, `-from "staging" names no host`},
		},
		"rename of nothing": {
			func(_ *lock.Lock, o *promote.Options) { o.Renames = []promote.Rename{{Old: "dem", New: "x"}} },
			[]string{"-rename dem=x: the release has no repository " + g.lock.Registry + "/dem"},
		},
		"two images of one name": {
			func(l *lock.Lock, o *promote.Options) {
				o.Renames = []promote.Rename{{Old: "demo/agent", New: "all"}, {Old: "demo/lifecycle", New: "all"}}
			},
			[]string{"would both become " + final.Host() + "/all:1.2.3"},
		},
		"one file for two": {
			func(_ *lock.Lock, o *promote.Options) { o.To, o.Out = append(o.To, final.Host()+"/x"), "x.yaml" },
			[]string{"there are several destinations"},
		},
		"unknown rule": {func(_ *lock.Lock, o *promote.Options) {
			o.Floating = "back"
		}, []string{`-floating="back" is invalid`}},
		"stub bases": {
			func(l *lock.Lock, o *promote.Options) {
				l.Images[0].Children[0].Base, o.To = &lock.Base{Name: "x", Stub: true}, []string{"registry.example"}
			},
			[]string{"promoting to registry.example: the release was built on stub bases"},
		},
		"no release": {func(_ *lock.Lock, o *promote.Options) {
			o.Release += ".gone"
		}, []string{"reading release", "release.yaml.gone"}},
		"other release": {
			func(l *lock.Lock, _ *promote.Options) { l.Images[0].Digest = l.Images[2].Digest },
			[]string{"release.yaml:11:12: " + g.lock.Images[0].Reference() + " is not an image of this release"},
		},
		"bad manifest": {
			func(l *lock.Lock, o *promote.Options) {
				text, err := os.ReadFile(g.release)
				if err != nil {
					t.Fatal(err)
				}
				o.Release = filepath.Join(t.TempDir(), "release.yaml")
				changed := strings.Replace(string(text), "kubernetes.io/os: linux", "kubernetes.io/os: windows", 1) +
					"    securityContext:\n      privileged: true\n"
				if err := os.WriteFile(o.Release, []byte(changed), 0o644); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"release.yaml breaks rules", "-product", "release.yaml:1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := *g.lock
			l.Images = append([]lock.Image{}, g.lock.Images...)
			for n := range l.Images {
				l.Images[n].Children = append([]lock.Child{}, l.Images[n].Children...)
			}
			o := g.options(final.Host())
			tt.change(&l, &o)
			_, err := promote.Lock(t.Context(), &l, o)
			says(t, err, tt.want...)
			calls, _ := final.Reset()
			more, _ := g.at.Reset()
			if len(calls)+len(more) != 0 {
				t.Errorf("registries were asked %v, %v", calls, more)
			}
		})
	}
}

func TestParseRename(t *testing.T) {
	if r, err := promote.ParseRename("a/b=c"); err != nil || r != (promote.Rename{Old: "a/b", New: "c"}) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, s := range []string{
		"", "a", "a=", "=a", "a=b=c", "a:1=b", "A=b", "a//b=c", "registry.example:5000/a=b",
		"a=../b",
	} {
		_, err := promote.ParseRename(s)
		says(t, err, "-rename", "name two paths")
	}
}

// TestBundle promotes the product's images of a bundle.
func TestBundle(t *testing.T) {
	g := stage(t)
	pack := func(targets ...airgap.Target) *bundle.Bundle {
		t.Helper()
		files, _, err := airgap.Pack(t.Context(), g.store, g.lock, targets, airgap.PackOptions{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return bundletest.Opened(t, files[0].Path)
	}
	g.about, g.tags = nil, nil // which the store does not have
	final := separate(t)
	whole := pack(airgap.Target{Name: "all"})
	o := g.options(final.Host())
	o.From = g.lock.Registry
	g.at.Reset()
	done, err := promote.Bundle(t.Context(), whole, o)
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range g.names(final.Host(), true) {
		if got := head(t, ref); got != want.String() {
			t.Errorf("%s is %s, want %s", ref, got, want)
		}
	}
	if calls, _ := g.at.Reset(); len(calls) != 0 {
		t.Errorf("the staging registry was asked %v", calls)
	}
	if d := done.Destinations[0]; len(d.Images) != 6 || d.Release == nil || d.Release.References != 1 {
		t.Errorf("%+v", d)
	}
	o.From = "elsewhere.example"
	_, err = promote.Bundle(t.Context(), whole, o)
	says(t, err, "is not below elsewhere.example")
	o.From = ""
	if done, err = promote.Bundle(t.Context(), whole,
		promote.Options{To: []string{final.Host()}, Registry: quick}); err != nil || done.From != g.at.Host() {
		t.Errorf("%+v, %v", done, err)
	}

	// Docker Hub has several names.
	hub, published := *g.lock, g.lock
	hub.Registry, hub.Images = "docker.io", slices.Clone(hub.Images)
	for n, i := range hub.Images {
		i.Repository, i.FloatingTags = "docker.io/me"+strings.TrimPrefix(i.Repository, published.Registry+"/demo"), nil
		hub.Images[n] = i
	}
	g.lock = &hub
	images := pack(airgap.Target{Name: "hub"})
	g.lock = published
	for _, from := range []string{"", "docker.io", "docker.io/me"} {
		prefix := map[bool]string{true: "", false: "me/"}[from == "docker.io/me"]
		done, err := promote.Bundle(t.Context(),
			images, promote.Options{From: from, To: []string{final.Host() + "/hub"}, Registry: quick})
		if err != nil || done.Destinations[0].Images[0].Target != final.Host()+"/hub/"+prefix+"agent:1.2.3" {
			t.Errorf("from %q: %+v, %v", from, done, err)
		}
	}

	part := pack(airgap.Target{Name: "part", Platform: parse(t, "linux/amd64")}, airgap.Target{Name: "all"})
	_, err = promote.Bundle(t.Context(), part, o)
	says(t, err, "the bundle is for linux/amd64 only")
}
