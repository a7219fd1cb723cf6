package publish_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// reindex gives every index of l annotations, as build does, over the children that keep reports
// true for; images without any are dropped.
func reindex(t *testing.T, st *store.Store, l *lock.Lock, keep func(platform.Platform) bool) *lock.Lock {
	t.Helper()
	out := *l
	out.Images = nil
	for _, i := range l.Images {
		var children []lock.Child
		var descriptors []v1.Descriptor
		for _, c := range i.Children {
			if keep(c.Platform) {
				children = append(children, c)
				descriptors = append(descriptors,
					v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size, Platform: c.Platform.V1()})
			}
		}
		if len(children) == 0 {
			continue
		}
		i.Children = children
		if i.MediaType.IsIndex() {
			raw, err := oci.MakeIndex(descriptors, map[string]string{
				"org.opencontainers.image.title":   i.Name,
				"org.opencontainers.image.version": l.Version,
			})
			if err != nil {
				t.Fatal(err)
			}
			if i.Digest, err = st.PutBytes(raw); err != nil {
				t.Fatal(err)
			}
			i.Size = int64(len(raw))
		}
		out.Images = append(out.Images, i)
	}
	return &out
}

// part publishes what one job of a matrix builds, from a store of its own, and returns the part
// as it is written to a file.
func part(t *testing.T, registry, system string) *lock.Part {
	t.Helper()
	p, st, l := cut(t, 2000)
	p.Registry = registry
	p = storetest.Only(p, system)
	l = reindex(t, st, l, func(p platform.Platform) bool { return p.OS == system })
	out, _, err := publish.PublishPart(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := st.Resolve(out.Images[0].Repository + ":" + out.Images[0].Tags[0]); ok || err != nil {
		t.Errorf("the store names a part like a complete image: %v", err)
	}
	path := filepath.Join(t.TempDir(), lock.PartName)
	if err := out.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := lock.ReadPart(path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestMerge(t *testing.T) {
	complete, parts := registrytest.Serve(t), registrytest.Serve(t)
	everything := func(platform.Platform) bool { return true }

	p, st, l := cut(t, 2000)
	p.Registry = complete.Host()
	want, err := publish.Publish(t.Context(), p, st, storetest.Built(reindex(t, st, l, everything)), quick)
	if err != nil {
		t.Fatal(err)
	}

	linux, windows := part(t, parts.Host(), platform.Linux), part(t, parts.Host(), platform.Windows)
	if n := parts.Count("PUT", "/manifests/1.2.3"); n != 0 {
		t.Errorf("%d tags were pushed by parts", n)
	}
	if n := parts.Count("PUT", "/manifests/sha256:"); n != 7 {
		t.Errorf("%d manifests were pushed by parts, the release has 7", n)
	}
	parts.Reset()
	if part(t, parts.Host(), platform.Linux); parts.Count("PUT", "")+parts.Count("POST", "")+
		parts.Count("PATCH", "") != 0 {
		t.Error("a part that already existed was sent again")
	}

	p.Registry = parts.Host()
	fresh := storetest.Open(t)
	slices.Reverse(linux.Images) // the product says what the order is
	parts.Reset()
	got, err := merge(t, p, fresh, []*lock.Part{windows, linux})
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Validate(t, got)
	if n := parts.Count("PUT", ""); n != 2*len(got.Images) {
		t.Errorf("%d manifests were pushed, want each of %d images by digest and by tag", n, len(got.Images))
	}
	if a, b := anywhere(t, want, complete.Host()), anywhere(t, got, parts.Host()); a != b {
		t.Errorf("the lock of the parts differs from the lock of a complete release:\n%s\n%s", b, a)
	}

	// A second time nothing is sent, and the store can be filled from the registry.
	parts.Reset()
	if _, err := merge(t, p, fresh, []*lock.Part{linux, windows}); err != nil {
		t.Fatal(err)
	}
	if n := parts.Count("PUT", ""); n != 0 {
		t.Errorf("the second merge sent %d manifests", n)
	}
	if err := transfer.New(quick).Pull(t.Context(), fresh, got); err != nil {
		t.Fatal(err)
	}
	for h := range blobs(t, fresh, got) {
		if !fresh.Has(h) {
			t.Errorf("blob %s was not pulled", h)
		}
	}
	parts.Reset()
	if err := transfer.New(quick).Pull(t.Context(), fresh, got); err != nil {
		t.Fatal(err)
	}
	if calls, _ := parts.Reset(); len(calls) != 0 {
		t.Errorf("pulling what is there asked %v", calls)
	}
}

// anywhere writes a lock without the name of its registry.
func anywhere(t *testing.T, l *lock.Lock, host string) string {
	t.Helper()
	b, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), host, "REGISTRY")
}

func TestMergeSnapshot(t *testing.T) {
	p, st, l := cut(t, 1000)
	var locks []*lock.Part
	for _, system := range []string{platform.Linux, platform.Windows} {
		part, _, err := publish.PublishPart(t.Context(), storetest.Only(p, system),
			st, storetest.Built(reindex(t, st, l, func(p platform.Platform) bool { return p.OS == system })), quick)
		if err != nil {
			t.Fatal(err)
		}
		locks = append(locks, part)
	}
	got, err := merge(t, p, st, locks)
	if err != nil {
		t.Fatal(err)
	}
	want, err := publish.Publish(t.Context(), p,
		st, storetest.Built(reindex(t, st, l, func(platform.Platform) bool { return true })), quick)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := anywhere(t, want, ""), anywhere(t, got, ""); a != b {
		t.Errorf("the lock of the parts differs from the lock of a complete release:\n%s\n%s", b, a)
	}
}

// inChannel returns a part that was published to the channel stable.
func inChannel(p *lock.Part) *lock.Part {
	other := *p
	other.Channel = "stable"
	return &other
}

// TestMergeFailures answers each request of merging parts with each failure.
func TestMergeFailures(t *testing.T) {
	made, st, l := cut(t, 100)
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		p := *made
		p.Registry = s.Host() + "/acme"
		var parts []*lock.Part
		for _, system := range []string{platform.Linux, platform.Windows} {
			of := storetest.Built(reindex(t, st, l, func(p platform.Platform) bool { return p.OS == system }))
			part, _, err := publish.PublishPart(t.Context(), storetest.Only(&p, system), st, of, quick)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, part)
		}
		fresh := storetest.Open(t)
		return func() error {
			r, err := publish.PrepareMerge(t.Context(), &p, fresh, parts, registrytest.Impatient)
			if err == nil {
				err = r.Push(t.Context())
			}
			return err
		}
	})
}

func TestMergeFails(t *testing.T) {
	s := registrytest.Serve(t)
	linux, windows := part(t, s.Host(), platform.Linux), part(t, s.Host(), platform.Windows)
	for name, tt := range map[string]struct {
		locks   []*lock.Part
		change  func(*product.Product)
		trouble func(http.ResponseWriter, *http.Request) bool
		want    string
	}{
		"no part": {want: "name the release.part.json"},
		"a platform lacks": {
			locks: []*lock.Part{linux},
			want:  "none has agent for windows/amd64:10.0.26100.1: build and publish it with -platforms",
		},
		"an image lacks": {locks: []*lock.Part{windows}, want: "-platforms linux/amd64"},
		"another product": {locks: []*lock.Part{linux, windows}, change: func(p *product.Product) {
			p.Version = "2"
		}, want: "they are of demo 1.2.3"},
		"another channel": {
			locks: []*lock.Part{inChannel(linux), inChannel(windows)},
			want:  "they were published to channel stable, and this run is of demo 1.2.3, from : give -channel=stable",
		},
		"no channel": {locks: []*lock.Part{linux, windows}, change: func(p *product.Product) {
			p.Channel = "stable"
		}, want: "they were published to no channel, and this run is of demo 1.2.3, " +
			"from , channel stable: publish them again"},
		"channels": {
			locks: []*lock.Part{linux, inChannel(windows)},
			want:  "channel is  in one and stable in another",
		},
		"another registry": {locks: []*lock.Part{linux, windows}, change: func(p *product.Product) {
			p.Registry = ""
		}, want: "name it with -registry"},
		"new image": {locks: []*lock.Part{linux, windows}, change: func(p *product.Product) {
			p.Images = append(p.Images, product.Image{Name: "new"})
		}, want: "-images new"},
		"not to be read": {
			locks: []*lock.Part{linux, windows}, want: "linux/amd64: looking at " + s.Host() + "/",
			trouble: func(w http.ResponseWriter, q *http.Request) bool {
				if strings.Contains(q.URL.Path, "/manifests/sha256:") {
					w.WriteHeader(http.StatusForbidden)
					return true
				}
				return false
			},
		},
		"not pushed": {
			locks: []*lock.Part{linux, windows}, want: "publish that part again",
			trouble: func(w http.ResponseWriter, q *http.Request) bool {
				if strings.Contains(q.URL.Path, "/manifests/sha256:") {
					registrytest.Lacks(w)
					return true
				}
				return false
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, st, _ := cut(t, 2000)
			p.Registry = s.Host()
			if tt.change != nil {
				tt.change(p)
			}
			s.Disturb(tt.trouble)
			_, err := merge(t, p, st, tt.locks)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
