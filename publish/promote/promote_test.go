package promote_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish/promote"
)

// TestLock promotes a release to two registries, twice.
func TestLock(t *testing.T) {
	g := stage(t)
	a, b := separate(t), separate(t)
	o := g.options(a.Host(), b.Host()+"/final")
	done, err := promote.Lock(t.Context(), g.lock, o)
	if err != nil {
		t.Fatal(err)
	}
	blobs := done.Destinations[0].Blobs
	for _, d := range done.Destinations {
		g.check(d.To, true)
		if d.Blobs != blobs || d.Blobs == 0 || d.Referrers != 4 || len(d.Images) != 6 || d.Images[0].Existed {
			t.Errorf("%s: %d blobs, %d artifacts, %+v", d.To, d.Blobs, d.Referrers, d.Images)
		}
		if want := filepath.Join(filepath.Dir(g.release), "release."+strings.NewReplacer(":", "-",
			"/", "-").Replace(d.To)+".yaml"); d.Release.Path != want || d.Release.References != 1 {
			t.Errorf("the manifest is %+v, want %s", d.Release, want)
		}
		got, err := os.ReadFile(d.Release.Path)
		if err != nil {
			t.Fatal(err)
		}
		old, err := os.ReadFile(g.release)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(string(old), g.lock.Registry, d.To); string(got) != want {
			t.Errorf("the manifest is\n%s\nwant\n%s", got, want)
		}
		for _, f := range d.FloatingTags {
			if !f.Moved || f.Reason != "it is new" {
				t.Errorf("%+v", f)
			}
		}
	}
	if n := g.at.Count("GET", "/blobs/"); int64(n) != blobs {
		t.Errorf("%d blobs were read from the source, %d were sent to each destination", n, blobs)
	}
	if n := g.at.Count("P", ""); n != 0 {
		t.Errorf("%d requests wrote to the source", n)
	}
	order := tagged(a)
	if last := sorted(order[len(order)-2:]...); !slices.Equal(last, []string{"latest", "v1"}) ||
		strings.Contains(strings.Join(order[:len(order)-2], " "), "latest") {
		t.Errorf("tags were put in the order %v", order)
	}

	b.Reset()
	done, err = promote.Lock(t.Context(), g.lock, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Count("P", "") + b.Count("P", ""); n != 0 {
		t.Errorf("the second promotion wrote %d times", n)
	}
	for _, d := range done.Destinations {
		if d.Blobs != 0 || !d.Images[0].Existed || d.FloatingTags[0].Moved ||
			d.FloatingTags[0].Reason != "it names this image already" {
			t.Errorf("again: %+v", d)
		}
	}
}

// TestWithin promotes within one registry, with other paths: every blob is mounted.
func TestWithin(t *testing.T) {
	g := stage(t)
	o := g.options(g.at.Host() + "/final")
	o.Renames = []promote.Rename{{Old: "demo", New: "team"}, {Old: "demo/agent", New: "agent"}}
	g.at.Reset()
	done, err := promote.Lock(t.Context(), g.lock, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := g.at.Count("PATCH", ""); n != 0 || done.Destinations[0].Blobs != 0 {
		t.Errorf("%d blobs were sent within one registry", n)
	}
	var targets []string
	for _, i := range done.Destinations[0].Images {
		targets = append(targets, strings.TrimPrefix(i.Target, g.at.Host()))
	}
	want := []string{
		"/final/agent:1.2.3", "/final/agent:1.2.3-full", "/final/agent:1.2.3-windows", "/final/agent:1.2.3-linux-amd64",
		"/final/agent:1.2.3-server", "/final/team/lifecycle:1.2.3",
	}
	if !slices.Equal(targets, want) {
		t.Errorf("promoted to %q, want %q", targets, want)
	}
	text, err := os.ReadFile(done.Destinations[0].Release.Path)
	if err != nil || !strings.Contains(string(text), g.at.Host()+"/final/agent@sha256:") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// TestFloating promotes to where floating tags name something newer, older or unknown.
func TestFloating(t *testing.T) {
	for version, tt := range map[string]struct {
		rule   string
		moved  bool
		reason string
	}{
		"1.2.2":  {moved: true, reason: "1.2.3 is above 1.2.2"},
		"2.0.0":  {reason: "1.2.3 is below 2.0.0, which it names"},
		"2.1.0":  {rule: imagetag.RuleMove, moved: true, reason: "-floating=move"},
		"1.0.0":  {rule: imagetag.RuleKeep, reason: "-floating=keep"},
		"canary": {reason: "neither a semantic version"},
	} {
		t.Run(version, func(t *testing.T) {
			g := stage(t)
			final := separate(t)
			raw, err := oci.MakeIndex(nil, map[string]string{"org.opencontainers.image.version": version})
			if err != nil {
				t.Fatal(err)
			}
			ref := final.Repo(t, "demo/agent").Tag("latest")
			if err := remote.Put(ref, document(raw)); err != nil {
				t.Fatal(err)
			}
			before, err := remote.Head(ref)
			if err != nil {
				t.Fatal(err)
			}
			o := g.options(final.Host())
			o.Floating = tt.rule
			done, err := promote.Lock(t.Context(), g.lock, o)
			if err != nil {
				t.Fatal(err)
			}
			got := done.Destinations[0].FloatingTags[0]
			if got.Moved != tt.moved || !strings.Contains(got.Reason, tt.reason) || got.From != before.Digest {
				t.Errorf("%+v, want %v for %q", got, tt.moved, tt.reason)
			}
			if now, err := remote.Head(ref); err != nil || (now.Digest == g.lock.Images[0].Digest) != tt.moved {
				t.Errorf("it names %v, %v", now, err)
			}
		})
	}
}

type document []byte

func (d document) RawManifest() ([]byte, error) { return d, nil }

// TestConflict promotes over other images: every tag in the way is named, and nothing is sent to
// that destination or another one, which would keep a release that the first never has.
func TestConflict(t *testing.T) {
	g := stage(t)
	a, b := separate(t), separate(t)
	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"1.2.3", "1.2.3-windows"} {
		if err := remote.Write(a.Repo(t, "demo/agent").Tag(tag), other); err != nil {
			t.Fatal(err)
		}
	}
	a.Reset()
	_, err = promote.Lock(t.Context(), g.lock, g.options(a.Host(), b.Host()))
	says(t, err, a.Host()+"/demo/agent:1.2.3 is sha256:", "; 1 more taken: "+a.Host()+"/demo/agent:1.2.3-windows: ",
		"promote a new version", b.Host()+": nothing was sent")
	if n := a.Count("P", "") + b.Count("P", ""); n != 0 {
		t.Errorf("%d requests wrote although a tag is in the way", n)
	}
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(g.release), "*")); err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
}

// TestSourceLacks promotes what the source does not have, or not all of: no tag is put.
func TestSourceLacks(t *testing.T) {
	for lacks, tt := range map[string]struct {
		path func(g *staged) string
		want string
	}{
		"an image": {func(g *staged) string {
			return "/manifests/" + g.lock.Images[2].Digest.String()
		}, "is not in the registry: publish the release again"},
		"a child": {func(g *staged) string {
			return "/manifests/" + g.lock.Images[0].Children[3].Digest.String()
		}, "demo/agent@sha256:"},
		"a blob": {func(g *staged) string {
			return "/blobs/" + g.lock.Images[0].Children[1].Config.String()
		}, "pushing blob sha256:"},
		"a signature": {func(g *staged) string {
			return "/manifests/" + g.about[3].String()
		}, "reading the referrers of"},
	} {
		t.Run(lacks, func(t *testing.T) {
			g := stage(t)
			final := separate(t)
			path := tt.path(g)
			g.at.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if strings.HasSuffix(q.URL.Path, path) {
					registrytest.Lacks(w)
					return true
				}
				return false
			})
			_, err := promote.Lock(t.Context(), g.lock, g.options(final.Host()))
			says(t, err, tt.want)
			if tags := tagged(final); len(tags) != 0 {
				t.Errorf("tags were put: %v", tags)
			}
			g.at.Disturb(nil)
			if _, err := promote.Lock(t.Context(), g.lock, g.options(final.Host())); err != nil {
				t.Fatal(err)
			}
			g.check(final.Host(), true)
		})
	}
	t.Run("an outage", func(t *testing.T) {
		g := stage(t)
		g.at.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			if strings.Contains(q.URL.Path, "/manifests/") {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return strings.Contains(q.URL.Path, "/manifests/")
		})
		o := g.options(separate(t).Host())
		o.Registry.Attempts = 1
		_, err := promote.Lock(t.Context(), g.lock, o)
		says(t, err, "503 Service Unavailable: run again once it answers")
		if strings.Contains(err.Error(), "publish the release again") {
			t.Error(err)
		}
	})
	t.Run("a referrer of the lock", func(t *testing.T) {
		g := stage(t)
		g.lock.Images[0].Referrers = []oci.Referrer{{Digest: g.lock.Images[2].Digest}}
		final := separate(t)
		_, err := promote.Lock(t.Context(), g.lock, g.options(final.Host()))
		says(t, err, "which refers to agent, is not in the registry")
		if calls, _ := final.Reset(); len(calls) != 0 {
			t.Errorf("the destination was asked %v", calls)
		}
	})
}

// TestInterrupted stops a promotion at each of its writes. What is tagged by then is complete, no
// floating tag moved before everything else, and the next run sends the rest.
func TestInterrupted(t *testing.T) {
	extent.Plain(t)
	g := stage(t)
	stopped := errors.New("stopped by hand")
	for n := 1; ; n += extent.Number(6, 1) {
		final := separate(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		var writes atomic.Int32
		final.Disturb(func(_ http.ResponseWriter, q *http.Request) bool {
			if q.Method == http.MethodGet || q.Method == http.MethodHead || int(writes.Add(1)) < n {
				return false
			}
			cancel(stopped)
			final.Hang(q)
			return true
		})
		_, err := promote.Lock(ctx, g.lock, g.options(final.Host()))
		cancel(nil)
		final.Disturb(nil)
		if err == nil {
			if n < 20 {
				t.Errorf("the promotion had %d writes", n)
			}
			break
		}
		if !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at write %d: %v", n, err)
		}
		if tags := tagged(final); slices.Contains(tags, "latest") || slices.Contains(tags, "v1") {
			g.check(final.Host(), false)
		}
		if _, err := promote.Lock(t.Context(), g.lock, g.options(final.Host())); err != nil {
			t.Fatalf("after it was stopped at write %d: %v", n, err)
		}
		g.check(final.Host(), true)
		if t.Failed() {
			t.Fatalf("stopped at write %d", n)
		}
	}
}

// TestFrom promotes from a copy of the registry that the lock does not know.
func TestFrom(t *testing.T) {
	g := stage(t)
	copied, final := separate(t), separate(t)
	if _, err := promote.Lock(t.Context(), g.lock, g.options(copied.Host()+"/copy")); err != nil {
		t.Fatal(err)
	}
	at := "/demo/agent@" + g.lock.Images[0].Digest.String()
	for _, named := range []string{copied.Host() + "/copy", g.lock.Registry, final.Host()} {
		g.manifest(named + at)
		g.at.Reset()
		o := g.options(final.Host())
		o.From = copied.Host() + "/copy"
		done, err := promote.Lock(t.Context(), g.lock, o)
		if err != nil {
			t.Fatal(err)
		}
		g.check(final.Host(), true)
		if calls, _ := g.at.Reset(); len(calls) != 0 || done.From != o.From {
			t.Errorf("from %s; the registry of the lock was asked %v", done.From, calls)
		}
		if text := done.Destinations[0].Release.Text; !strings.Contains(string(text), "image: "+final.Host()+at) {
			t.Errorf("the copy of what names %s is\n%s", named, text)
		}
	}
	g.manifest("elsewhere.example" + at)
	_, err := promote.Lock(t.Context(), g.lock, g.options(final.Host()))
	says(t, err, "release.yaml:11:12: elsewhere.example"+
		at+" is an image of this release under another name than it was published with")
}

// TestOneHost promotes to two prefixes of one registry: each has a copy of release.yaml.
func TestOneHost(t *testing.T) {
	g := stage(t)
	final := separate(t)
	done, err := promote.Lock(t.Context(), g.lock, g.options(final.Host()+"/a", final.Host()+"/b"))
	if err != nil {
		t.Fatal(err)
	}
	for n, prefix := range []string{"/a/", "/b/"} {
		if text, err := os.ReadFile(done.Destinations[n].Release.Path); err != nil ||
			!strings.Contains(string(text), final.Host()+prefix+"demo/agent@") {
			t.Errorf("%s has %v\n%s", done.Destinations[n].Release.Path, err, text)
		}
	}
	_, err = promote.Lock(t.Context(), g.lock, g.options(final.Host()+"/a/b", final.Host()+"/a-b"))
	says(t, err, "both copies would be ", "promote to one after the other, with -release-to")
}

// TestFromCopy promotes from the second registry of a lock, where the paths differ.
func TestFromCopy(t *testing.T) {
	g := stage(t)
	second, final := separate(t), separate(t)
	o := g.options(second.Host() + "/mirror")
	o.Renames = []promote.Rename{{Old: "demo", New: "flat"}}
	if _, err := promote.Lock(t.Context(), g.lock, o); err != nil {
		t.Fatal(err)
	}
	l := *g.lock
	l.Copies, l.Images = []string{second.Host() + "/mirror"}, slices.Clone(l.Images)
	for n := range l.Images {
		l.Images[n].Copies = []string{second.Host() +
			"/mirror/flat" + strings.TrimPrefix(l.Images[n].Repository, l.Registry+"/demo")}
	}
	g.at.Reset()
	o = promote.Options{
		From: second.Host() + "/mirror", To: []string{final.Host()},
		Renames: []promote.Rename{{Old: "flat", New: "demo"}}, Registry: quick,
	}
	if _, err := promote.Lock(t.Context(), &l, o); err != nil {
		t.Fatal(err)
	}
	g.check(final.Host(), true)
	if calls, _ := g.at.Reset(); len(calls) != 0 {
		t.Errorf("the first registry was asked %v", calls)
	}
}

// TestAllow promotes a manifest with a finding that slipway.yaml allows.
func TestAllow(t *testing.T) {
	g := stage(t)
	final := separate(t)
	text, err := os.ReadFile(g.release)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "kubernetes.io/os: linux", "kubernetes.io/os: windows", 1) +
		"    securityContext:\n      privileged: true\n"
	if err := os.WriteFile(g.release, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	o := g.options(final.Host())
	_, err = promote.Lock(t.Context(), g.lock, o)
	says(t, err, "breaks rules", "[windows-privileged]")
	o.Allow = []product.Allow{{Rule: "windows-privileged", Reason: "for a test"}}
	if _, err := promote.Lock(t.Context(), g.lock, o); err != nil {
		t.Fatal(err)
	}
}
