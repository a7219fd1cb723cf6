package publish_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// floating gives the images of p floating tags, and p a version.
func floating(p *product.Product, l *lock.Lock, version string, tags ...string) {
	p.Version, l.Version = version, version
	for n := range p.Images {
		p.Images[n].Version, p.Images[n].Tags, p.Images[n].FloatingTags = version, []string{version}, tags
	}
}

// version makes a release of that version: its images differ from those of any other.
func version(t *testing.T, v string, tags ...string) (*product.Product, *store.Store, *lock.Lock) {
	t.Helper()
	st := storetest.Open(t)
	l := storetest.Release(t, st, 100+len(v))
	l.Images = l.Images[:2] // of which the indexes get annotations, as those that build makes
	for n := range l.Images {
		storetest.Versioned(t, st, &l.Images[n], v)
	}
	p := storetest.Product(t, l)
	floating(p, l, v, tags...)
	return p, st, l
}

// all publishes a release and moves its tags.
func all(ctx context.Context, t *testing.T, p *product.Product, st *store.Store, l *lock.Lock) (*lock.Lock, error) {
	t.Helper()
	out, err := publish.Publish(ctx, p, st, storetest.Built(l), quick)
	if err != nil {
		return nil, err
	}
	return out, publish.Move(ctx, st, out, quick)
}

// TestFloating publishes one version after another, and looks where the tags are.
func TestFloating(t *testing.T) {
	s := registrytest.Serve(t)
	now := map[string]string{}
	for _, c := range []struct {
		version string
		rule    string
		moved   []string
		kept    string // of the others
	}{
		{version: "1.21.0", moved: []string{"latest", "v1"}},
		{version: "1.22.0", moved: []string{"latest", "v1"}},
		{version: "1.21.5", kept: "1.21.5 is below 1.22.0, which it names"},
		{version: "1.21.5", rule: imagetag.RuleMove, moved: []string{"latest", "v1"}},
		{version: "1.23.0", rule: imagetag.RuleKeep, kept: "-floating=keep"},
	} {
		p, st, l := version(t, c.version, "latest", "v1")
		p.Registry, p.Floating = s.Host(), c.rule
		if c.rule == imagetag.RuleMove { // the same release as before
			for n := range p.Images {
				p.Images[n].Tags = []string{c.version + "-again"}
			}
		}
		s.Reset()
		out, err := all(t.Context(), t, p, st, l)
		if err != nil {
			t.Fatal(err)
		}
		order(t, s, "latest", "v1")
		for _, f := range out.Images[0].FloatingTags {
			was, ref := now[f.Tag], f.Repository+":"+f.Tag
			if slices.Contains(c.moved, f.Tag) {
				now[f.Tag] = out.Images[0].Digest.String()
			} else if f.Kept != c.kept {
				t.Errorf("%s of %s is kept: %q, want %q", f.Tag, c.version, f.Kept, c.kept)
			}
			if from := f.From.String(); c.rule != imagetag.RuleKeep && strings.TrimPrefix(from, ":") != was {
				t.Errorf("%s came from %q, want %q", ref, from, was)
			}
			if got := digestOf(t, ref); got != now[f.Tag] {
				t.Errorf("after %s %s is %s, want %s", c.version, ref, got, now[f.Tag])
			}
		}
	}
}

// order checks that the floating tags were put after everything else.
func order(t *testing.T, s *registrytest.Server, tags ...string) {
	t.Helper()
	calls, _ := s.Reset()
	moved := false
	for _, c := range calls {
		is := slices.ContainsFunc(tags, func(tag string) bool { return strings.HasSuffix(c, "/manifests/"+tag) })
		method, _, _ := strings.Cut(c, " ")
		if moved && !is && method != http.MethodHead && method != http.MethodGet {
			t.Errorf("%s came after a floating tag", c)
		}
		moved = moved || is && method == http.MethodPut
	}
}

// TestFloatingAgain checks that a repeated release has the same lock, also on another machine,
// whose store does not know what was there before.
func TestFloatingAgain(t *testing.T) {
	s := registrytest.Serve(t)
	for _, v := range []string{"1.0.0", "1.1.0"} {
		p, st, l := version(t, v, "latest")
		p.Registry = s.Host()
		first, err := all(t.Context(), t, p, st, l)
		if err != nil {
			t.Fatal(err)
		}
		want, err := first.Encode()
		if err != nil {
			t.Fatal(err)
		}
		s.Reset()
		second, err := all(t.Context(), t, p, st, l)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := second.Encode(); err != nil || string(got) != string(want) {
			t.Errorf("the lock is %s the first time and %s the second, %v", want, got, err)
		}
		if n := s.Count(http.MethodPut, ""); n != 0 {
			t.Errorf("the second time %d documents were put", n)
		}
		other, st, l := version(t, v, "latest")
		other.Registry = s.Host()
		third, err := all(t.Context(), t, other, st, l)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := third.Encode(); err != nil || string(got) != string(want) {
			t.Errorf("the lock is %s the first time and %s on another machine, %v", want, got, err)
		}
	}
}

// TestFloatingCut ends a release at each of its requests to two registries: its floating tags are
// all old then, unless the end came while they moved, and after the next run they are all new.
func TestFloatingCut(t *testing.T) {
	extent.Plain(t)
	p, st, l := version(t, "1.0.0", "latest", "v1")
	next, nextStore, nextLock := version(t, "1.10.0", "latest", "v1")
	places, moving := 0, 0
	for end := int64(0); ; end += extent.Number[int64](9, 1) {
		a, b := registrytest.Serve(t), registrytest.Serve(t)
		both := func(p *product.Product) {
			p.Registry = a.Host()
			p.Destinations = []product.Destination{{Registry: a.Host()}, {Registry: b.Host()}}
			for n := range p.Images {
				p.Images[n].Repositories = []string{"x/" + p.Images[n].Name, "y/" + p.Images[n].Name}
			}
		}
		both(p)
		old, err := all(t.Context(), t, p, st, l)
		if err != nil {
			t.Fatal(err)
		}
		was := tagged(t, old)

		ctx, cancel := context.WithCancel(t.Context())
		var n atomic.Int64
		disturb := func(http.ResponseWriter, *http.Request) bool {
			if n.Add(1) > end {
				cancel()
			}
			return false
		}
		a.Disturb(disturb)
		b.Disturb(disturb)
		both(next)
		_, err = all(ctx, t, next, nextStore, nextLock)
		cancel()
		a.Disturb(nil)
		b.Disturb(nil)
		if err == nil {
			if places < extent.Number(5, 40) {
				t.Errorf("only %d places were tried", places)
			}
			t.Logf("%d places, %d of them while tags moved", places, moving)
			return
		}
		places++
		if cut := tagged(t, old); !slices.Equal(cut, was) {
			moving++
		}
		done, err := all(t.Context(), t, next, nextStore, nextLock)
		if err != nil {
			t.Fatalf("after the end at request %d: %v", end, err)
		}
		for _, i := range done.Images {
			for _, f := range i.FloatingTags {
				if got := digestOf(t, f.Repository+":"+f.Tag); got != i.Digest.String() {
					t.Errorf("after the end at request %d and another run, %s:%s is %s", end, f.Repository, f.Tag, got)
				}
			}
		}
		end += int64(places % 5) // not every one, for there are hundreds
	}
}

// TestFloatingOneFails publishes to a registry that refuses one of two tags: the other moves, and
// that is reported.
func TestFloatingOneFails(t *testing.T) {
	p, st, l := version(t, "1.0.0", "latest", "v1")
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPut || !strings.HasSuffix(q.URL.Path, "/manifests/latest") {
			return false
		}
		http.Error(w, `{"errors":[{"code":"DENIED","message":"no"}]}`, http.StatusForbidden)
		return true
	})
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	o := quick
	o.Progress = progress.New(&told)
	err = publish.Move(t.Context(), st, out, o)
	o.Progress.Close()
	if err == nil || !strings.Contains(err.Error(), "DENIED") {
		t.Errorf("the error is %v", err)
	}
	for _, i := range out.Images {
		for _, f := range i.FloatingTags {
			ref := f.Repository + ":" + f.Tag
			if moved := strings.Contains(told.String(), ref+" moved to "+i.Digest.String()); moved != (f.Tag == "v1") {
				t.Errorf("%s was told to have moved: %t, in\n%s", ref, moved, told.String())
			}
		}
	}
}

// tagged returns what the floating tags of a lock name.
func tagged(t *testing.T, l *lock.Lock) []string {
	t.Helper()
	var all []string
	for _, i := range l.Images {
		for _, f := range i.FloatingTags {
			ref, err := name.NewTag(f.Repository + ":" + f.Tag)
			if err != nil {
				t.Fatal(err)
			}
			d, err := remote.Head(ref)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, d.Digest.String())
		}
	}
	return all
}

// TestOneFails publishes to three registries, one of which fails: the others get everything but
// floating tags, and the error states which is which.
func TestOneFails(t *testing.T) {
	p, st, l := version(t, "1.0.0", "latest")
	a, b, c := registrytest.Serve(t), registrytest.Serve(t), registrytest.Serve(t)
	p.Registry = a.Host()
	p.Destinations = []product.Destination{{Registry: a.Host()}, {Registry: b.Host()}, {Registry: c.Host()}}
	for n := range p.Images {
		p.Images[n].Repositories = []string{"x/" + p.Images[n].Name, "x/" + p.Images[n].Name, "x/" + p.Images[n].Name}
	}
	b.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPost {
			return false
		}
		http.Error(w, `{"errors":[{"code":"DENIED","message":"no"}]}`, http.StatusForbidden)
		return true
	})
	_, err := all(t.Context(), t, p, st, l)
	if err == nil {
		t.Fatal("it is published")
	}
	for _, want := range []string{
		b.Host() + ": pushing blob ",
		a.Host() + ", " + c.Host() + ": complete but for floating tags: run again",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	for _, s := range []*registrytest.Server{a, c} {
		digestOf(t, s.Host()+"/x/agent:1.0.0")
		if n := s.Count(http.MethodPut, "/manifests/latest"); n != 0 {
			t.Error("a floating tag has moved")
		}
		s.Reset()
	}
	b.Disturb(nil)
	if _, err := all(t.Context(), t, p, st, l); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*registrytest.Server{a, c} {
		if n := s.Count(http.MethodPut, "/manifests/1.0.0"); n != 0 {
			t.Errorf("%d documents were sent again", n)
		}
	}
	digestOf(t, b.Host()+"/x/agent:latest")
}
