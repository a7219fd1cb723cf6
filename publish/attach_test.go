package publish_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// signedRelease publishes a release with evidence.
func signedRelease(ctx context.Context, tb testing.TB, p *product.Product, st *store.Store, built *lock.Lock,
	key *signature.Signer,
) (*lock.Lock, error) {
	tb.Helper()
	r, err := publish.Prepare(ctx, p, st, storetest.Built(built), quick)
	if err != nil {
		return nil, err
	}
	return sign(ctx, tb, r, st, key)
}

// sign pushes a prepared release with evidence.
func sign(ctx context.Context, tb testing.TB, r *publish.Prepared, st *store.Store,
	key *signature.Signer,
) (*lock.Lock, error) {
	tb.Helper()
	documents := bundletest.Documents(tb, r.Lock) // before anything refers to it
	if err := r.Referrers(ctx); err != nil {
		return nil, err
	}
	reusing, err := evidence.Reuse(st, r.Lock, key)
	if err != nil {
		return nil, err
	}
	made, err := evidence.Make(ctx, st, r.Lock, documents, reusing)
	if err != nil {
		return nil, err
	}
	if err := r.Attach(made.Referrers); err != nil {
		return nil, err
	}
	return r.Lock, r.Push(ctx)
}

// software are answers of registries to questions about referrers.
var software = map[string]func(*testing.T) *registrytest.Server{
	"API":    func(t *testing.T) *registrytest.Server { return registrytest.Serve(t, ggcr.WithReferrersSupport(true)) },
	"404":    func(t *testing.T) *registrytest.Server { return registrytest.Serve(t) },
	"405":    func(t *testing.T) *registrytest.Server { return refusing(t, http.StatusMethodNotAllowed) },
	"501":    func(t *testing.T) *registrytest.Server { return refusing(t, http.StatusNotImplemented) },
	"GitLab": gitlab,
}

// refusing answers requests for referrers with a status.
func refusing(t *testing.T, status int) *registrytest.Server {
	s := registrytest.Serve(t)
	inner := s.Inner
	s.Inner = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.URL.Path, "/referrers/") {
			w.WriteHeader(status)
			return
		}
		inner.ServeHTTP(w, q)
	})
	return s
}

// gitlab answers for a tag sha256-HEX that it does not have with the subject itself.
func gitlab(t *testing.T) *registrytest.Server {
	s := registrytest.Serve(t)
	inner := s.Inner
	s.Inner = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		repo, tag, ok := strings.Cut(q.URL.Path, "/manifests/sha256-")
		if ok && q.Method == http.MethodGet && !strings.Contains(tag, ".") {
			probe, err := http.NewRequestWithContext(q.Context(), http.MethodHead, s.URL+q.URL.Path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			answer := &statusOf{}
			inner.ServeHTTP(answer, probe)
			if answer.status == http.StatusNotFound {
				q.URL.Path = repo + "/manifests/sha256:" + tag
			}
		}
		inner.ServeHTTP(w, q)
	})
	return s
}

type statusOf struct {
	header http.Header
	status int
}

func (s *statusOf) Header() http.Header {
	if s.header == nil {
		s.header = http.Header{}
	}
	return s.header
}
func (s *statusOf) Write(b []byte) (int, error) { s.WriteHeader(http.StatusOK); return len(b), nil }
func (s *statusOf) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
}

// hasEvidence checks that a registry has for every document of a release the provenance, the SBOM
// and the signature, and nothing else.
func hasEvidence(t *testing.T, l *lock.Lock, registry string) {
	t.Helper()
	at, ok := l.At(registry)
	if !ok {
		t.Fatal("the release is not in " + registry)
	}
	for _, i := range at.Images {
		repo, err := name.NewRepository(i.Repository)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range i.Documents() {
			s := &transfer.Subject{Repo: repo, Name: i.Name, Digests: []v1.Hash{d.Digest}}
			if err := transfer.New(quick).ReadReferrers(t.Context(), []*transfer.Subject{s}); err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for n, r := range s.Referrers {
				kinds = append(kinds, s.Trees[n].Annotations["dev.sigstore.bundle.predicateType"]+r.Tag)
			}
			slices.Sort(kinds)
			if want := []string{
				"https://slsa.dev/provenance/v1", "https://spdx.dev/Document",
				"sha256-" + d.Digest.Hex + ".sig",
			}; !slices.Equal(kinds, want) {
				t.Errorf("to %s of %s in %s refer %q", d.Digest, i.Name, registry, kinds)
			}
		}
	}
}

// releaseTags returns which tags of a release, other than those that find evidence, a registry has.
func releaseTags(t *testing.T, l *lock.Lock) (have int) {
	t.Helper()
	for _, i := range l.Published() {
		for _, n := range i.Names() {
			if n.Floating {
				continue
			}
			ref, err := name.ParseReference(n.Reference)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := remote.Head(ref); err == nil {
				have++
			} else if outcome.Of(err) != outcome.Absent {
				t.Fatal(err)
			}
		}
	}
	return have
}

// indexed is a product whose images have a tag for Windows, which names an index of its own.
func indexed(t *testing.T) (*product.Product, *store.Store, *lock.Lock) {
	t.Helper()
	p, st, built := cut(t, 100)
	p.Images[0].PlatformTags = []product.PlatformTag{{
		Tag:       "1.2.3-windows",
		Platforms: storetest.Only(p, "windows").Images[0].Platforms,
	}}
	return p, st, built
}

// TestEvidenceBeforeTags publishes signed releases to registries of every kind: every referrer of
// an image is there, and listed, before the image has a tag; a second time nothing is sent, and
// the lock is the same; and the images have the digests that they have without evidence.
func TestEvidenceBeforeTags(t *testing.T) {
	for kind, serve := range software {
		t.Run(kind, func(t *testing.T) {
			p, st, built := indexed(t)
			s := serve(t)
			p.Registry = s.Host()
			key := bundletest.Key(t)
			l, err := signedRelease(t.Context(), t, p, st, built, key)
			if err != nil {
				t.Fatal(err)
			}
			calls, _ := s.Reset()
			tagged := false
			for _, c := range calls {
				if !strings.HasPrefix(c, "P") {
					continue
				}
				_, ref, _ := strings.Cut(c, "/manifests/")
				switch {
				case ref != "" && !strings.HasPrefix(ref, "sha256"):
					tagged = true
				case tagged:
					t.Errorf("after a tag: %s", c)
				}
			}
			hasEvidence(t, l, s.Host())
			s.Reset()
			again, err := signedRelease(t.Context(), t, p, st, built, key)
			if err != nil {
				t.Fatal(err)
			}
			if n := s.Count("P", ""); n != 0 {
				calls, _ := s.Reset()
				t.Errorf("the second time, %d requests wrote: %v", n, calls)
			}
			sameLock(t, again, l)
			plain, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), quick)
			if err != nil {
				t.Fatal(err)
			}
			for n, i := range plain.Lock.Images {
				if i.Digest != l.Images[n].Digest {
					t.Errorf("%s is %s without evidence, and %s with it", i.Name, i.Digest, l.Images[n].Digest)
				}
			}
		})
	}
}

func sameLock(t *testing.T, a, b *lock.Lock) {
	t.Helper()
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) {
		t.Errorf("the locks differ:\n%s\n%s", x, y)
	}
}

// TestKilledSigning ends a signed release at each request that writes: there is no tag unless all
// evidence is there, and the next run completes the release with the same lock.
func TestKilledSigning(t *testing.T) {
	for _, kind := range []string{"API", "404"} {
		t.Run(kind, func(t *testing.T) {
			p, st, built := cut(t, 100)
			key := bundletest.Key(t)
			whole := software[kind](t)
			p.Registry = whole.Host()
			if _, err := signedRelease(t.Context(), t, p, st, built, key); err != nil {
				t.Fatal(err)
			}
			writes := int64(whole.Count("P", ""))
			step := int64(1)
			if testing.Short() {
				step = 7
			}
			for at := int64(1); at < writes; at += step {
				s := software[kind](t)
				p.Registry = s.Host()
				ctx, cancel := context.WithCancel(t.Context())
				var n atomic.Int64
				s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
					if strings.HasPrefix(q.Method, "P") && n.Add(1) >= at {
						cancel()
						panic(http.ErrAbortHandler)
					}
					return false
				})
				_, err := signedRelease(ctx, t, p, st, built, key)
				cancel()
				if err == nil {
					t.Fatalf("it survived the end at request %d of %d", at, writes)
				}
				s.Disturb(nil)
				want, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), quick)
				if err != nil {
					t.Fatal(err)
				}
				if releaseTags(t, want.Lock) > 0 {
					hasEvidence(t, want.Lock, s.Host())
				}
				l, err := signedRelease(t.Context(), t, p, st, built, key)
				if err != nil {
					t.Fatalf("after the end at request %d: %v", at, err)
				}
				hasEvidence(t, l, s.Host())
				again, err := signedRelease(t.Context(), t, p, st, built, key)
				if err != nil {
					t.Fatal(err)
				}
				sameLock(t, again, l)
				if t.Failed() {
					t.Fatalf("after the end at request %d of %d", at, writes)
				}
				s.Close()
			}
		})
	}
}

// TestOperatorsSignature signs an image where its operator has signed it before, in one of two
// registries: the list has both, and the other registry only ours.
func TestOperatorsSignature(t *testing.T) {
	for primary, kind := range []string{"the first", "the second"} {
		t.Run(kind, func(t *testing.T) {
			p, st, built := cut(t, 100)
			one, two := registrytest.Serve(t), registrytest.Serve(t)
			p.Registry, p.Destinations = one.Host(),
				[]product.Destination{{Registry: one.Host()}, {Registry: two.Host()}}
			for n := range p.Images {
				p.Images[n].Repositories = append(p.Images[n].Repositories, p.Images[n].Repositories[0])
			}
			plain, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), quick)
			if err != nil {
				t.Fatal(err)
			}
			i := plain.Lock.Images[0]
			repo, err := name.NewRepository(i.Repositories()[primary])
			if err != nil {
				t.Fatal(err)
			}
			theirs := artifact(t, "signed by the operator", signatureType, nil)
			tag := repo.Tag("sha256-" + i.Digest.Hex + ".sig")
			if err := remote.Write(tag, theirs); err != nil {
				t.Fatal(err)
			}
			key := bundletest.Key(t)
			l, err := signedRelease(t.Context(), t, p, st, built, key)
			if err != nil {
				t.Fatal(err)
			}
			lists := map[string]int{}
			for _, r := range i.Repositories() {
				at, err := name.NewRepository(r)
				if err != nil {
					t.Fatal(err)
				}
				img, err := remote.Image(at.Tag(tag.TagStr()))
				if err != nil {
					t.Fatal(err)
				}
				m, err := img.Manifest()
				if err != nil {
					t.Fatal(err)
				}
				lists[at.RegistryStr()] = len(m.Layers)
				if first := m.Layers[0]; at == repo && first.Digest != desc(t, theirs).Digest &&
					first.Annotations[oci.SignatureKey] != "" {
					t.Error("the signature of the operator is not the first")
				}
			}
			for n, host := range []string{one.Host(), two.Host()} {
				want := 2 // one for each repository
				if n == primary {
					want = 3
				}
				if lists[host] != want {
					t.Errorf("%s has %d signatures, want %d", host, lists[host], want)
				}
			}
			one.Reset()
			two.Reset()
			again, err := signedRelease(t.Context(), t, p, st, built, key)
			if err != nil {
				t.Fatal(err)
			}
			if n := one.Count("P", "") + two.Count("P", ""); n != 0 {
				t.Errorf("the second time, %d requests wrote", n)
			}
			sameLock(t, again, l)
		})
	}
}

// TestSignedParts joins parts and signs what comes of them: it is what a release of all of it has.
func TestSignedParts(t *testing.T) {
	p, st, built := cut(t, 100)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	key := bundletest.Key(t)
	var parts []*lock.Part
	for _, system := range []string{"linux", "windows"} {
		part, _, err := publish.PublishPart(t.Context(), storetest.Only(p, system), st, storetest.Built(built), quick)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	var locks []*lock.Lock
	for range 2 {
		fresh := storetest.Open(t)
		r, err := publish.PrepareMerge(t.Context(), p, fresh, parts, quick)
		if err != nil {
			t.Fatal(err)
		}
		l, err := sign(t.Context(), t, r, fresh, key)
		if err != nil {
			t.Fatal(err)
		}
		hasEvidence(t, l, s.Host())
		locks = append(locks, l)
	}
	sameLock(t, locks[1], locks[0])
	whole, err := signedRelease(t.Context(), t, p, st, built, key)
	if err != nil {
		t.Fatal(err)
	}
	for n, i := range whole.Images {
		if !slices.Equal(i.Referrers, locks[0].Images[n].Referrers) {
			t.Errorf("to %s of parts refers\n%+v\nand to that of a complete release\n%+v", i.Name,
				locks[0].Images[n].Referrers, i.Referrers)
		}
	}
}
