// Package registry is the embedded OCI registry: the distribution API over a store.
//
// A snapshot publishes to it, and "slipway serve" serves it, following
// https://github.com/opencontainers/distribution-spec/blob/main/spec.md. All repositories share
// the blobs and manifests of the store, so that pushing what the store has copies nothing. Tags
// come from a lock and from pushes, and are in memory. A tag may be pushed again: a registry that
// lives for one run has no history to protect.
package registry

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Host is the embedded registry's name in references, which does not resolve.
const Host = "slipway.local"

// Registry is an http.Handler. Several goroutines may use it.
type Registry struct {
	store *store.Store

	mu        sync.Mutex
	tags      map[string]map[string]v1.Hash // repository → tag → digest
	referrers map[v1.Hash][]v1.Descriptor   // subject → artifacts about it
	uploads   map[string]*store.Blob        // by session

	ambiguous []string
}

// New returns a registry over st, with the names of l, which may be nil. An image or a chart
// HOST/PATH:TAG of the lock is PATH:TAG here, and so is a third-party image, which makes the
// registry a mirror of them all.
func New(st *store.Store, l *lock.Lock) *Registry {
	r := &Registry{
		store: st, tags: map[string]map[string]v1.Hash{}, referrers: map[v1.Hash][]v1.Descriptor{},
		uploads: map[string]*store.Blob{},
	}
	if l == nil {
		return r
	}
	for _, i := range l.Published() {
		_, path, _ := strings.Cut(i.Repository, "/")
		for _, n := range i.Names() {
			r.tag(path, n.Reference[strings.LastIndex(n.Reference, ":")+1:], n.Desc.Digest)
		}
		r.refer(path, i.Digest, i.Referrers)
	}
	r.mirror(l.ThirdParty)
	return r
}

// refer adds the referrers of the image h: as tags of cosign, or else to the referrers API.
func (r *Registry) refer(repo string, h v1.Hash, all []oci.Referrer) {
	for _, a := range all {
		if a.Tag != "" {
			r.tag(repo, a.Tag, a.Digest)
			continue
		}
		about := h
		if a.Subject != (v1.Hash{}) {
			about = a.Subject
		}
		r.referTo(about,
			v1.Descriptor{MediaType: a.MediaType, Digest: a.Digest, Size: a.Size, ArtifactType: a.ArtifactType})
	}
}

// referTo lists d among the referrers of a digest, once.
func (r *Registry) referTo(about v1.Hash, d v1.Descriptor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.ContainsFunc(r.referrers[about], func(o v1.Descriptor) bool { return o.Digest == d.Digest }) {
		r.referrers[about] = append(r.referrers[about], d)
	}
}

// about returns the referrers of a digest.
func (r *Registry) about(h v1.Hash) []v1.Descriptor {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.referrers[h])
}

// tag names a digest; an empty tag only adds the repository.
func (r *Registry) tag(repo, tag string, h v1.Hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tags[repo] == nil {
		r.tags[repo] = map[string]v1.Hash{}
	}
	if tag != "" {
		r.tags[repo][tag] = h
	}
}

func (r *Registry) resolve(repo, tag string) (v1.Hash, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, ok := r.tags[repo][tag]
	return h, ok
}

func (r *Registry) repositories() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.tags))
}

func (r *Registry) list(repo string) ([]string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tags[repo]
	return slices.Sorted(maps.Keys(t)), ok
}

// route matches a path of the API: repository, kind of resource, and which one. The path of a
// repository may contain "blobs" or "tags", so the last such element counts.
var route = lazyregexp.New(`^/v2/(` + imagename.Path +
	`)/(blobs|manifests|tags|referrers)/(uploads/[A-Za-z0-9]*|[^/]+)$`)

// ServeHTTP answers one request of the distribution API.
func (r *Registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Docker-Distribution-API-Version", "registry/2.0")
	switch q.URL.Path {
	case "/v2/", "/v2":
		reply(w, http.StatusOK, struct{}{})
		return
	case "/v2/_catalog":
		r.catalog(w, q)
		return
	}
	m := route.FindStringSubmatch(q.URL.Path)
	if m == nil {
		fail(w, http.StatusNotFound, "NAME_UNKNOWN", "no such path in the distribution API")
		return
	}
	repo, kind, which := m[1], m[2], m[3]
	read := q.Method == http.MethodGet || q.Method == http.MethodHead
	switch session, upload := strings.CutPrefix(which, "uploads/"); {
	case kind == "blobs" && upload:
		r.upload(w, q, repo, session)
	case kind == "blobs" && read:
		r.blob(w, q, which)
	case kind == "manifests" && read:
		r.manifest(w, q, repo, which)
	case kind == "manifests" && q.Method == http.MethodPut:
		r.putManifest(w, q, repo, which)
	case kind == "tags" && which == "list" && read:
		r.listTags(w, q, repo)
	case kind == "referrers" && read:
		r.listReferrers(w, q, which)
	default:
		fail(w, http.StatusMethodNotAllowed, "UNSUPPORTED", "the embedded registry does not do this")
	}
}

// split splits a reference into the path of the repository and the tag, which is empty if there
// is only a digest.
func split(ref string) (path, tag string) {
	ref, _, _ = strings.Cut(ref, "@")
	host, rest, ok := strings.Cut(ref, "/")
	if !ok || !strings.ContainsAny(host, ".:") && host != "localhost" {
		rest = ref // Docker Hub: busybox is library/busybox
		if !ok {
			rest = "library/" + ref
		}
	}
	if hub := host == "docker.io" || host == "index.docker.io"; ok && hub && !strings.Contains(rest, "/") {
		rest = "library/" + rest // what nodes ask for, however it is written
	}
	path, tag, _ = strings.Cut(rest, ":")
	return path, tag
}

// Handler is the registry over st, read only, with the names of l.
func Handler(st *store.Store, l *lock.Lock) ReadOnly { return ReadOnly{New(st, l)} }

// ReadOnly is a registry that answers all but GET and HEAD with 405 and UNSUPPORTED
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes).
type ReadOnly struct{ *Registry }

// ServeHTTP answers one request of the distribution API.
func (r ReadOnly) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		r.Registry.ServeHTTP(w, q)
		return
	}
	w.Header().Set("Docker-Distribution-API-Version", "registry/2.0")
	w.Header().Set("Allow", "GET, HEAD")
	fail(w, http.StatusMethodNotAllowed, "UNSUPPORTED", "this registry is read only: push to another one")
}
