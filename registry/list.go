package registry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func (r *Registry) catalog(w http.ResponseWriter, q *http.Request) {
	reply(w, http.StatusOK, struct {
		Repositories []string `json:"repositories"`
	}{page(w, q, r.repositories())})
}

func (r *Registry) listTags(w http.ResponseWriter, q *http.Request, repo string) {
	tags, ok := r.list(repo)
	if !ok {
		fail(w, http.StatusNotFound, "NAME_UNKNOWN", "no repository "+repo)
		return
	}
	reply(w, http.StatusOK, struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}{repo, page(w, q, tags)})
}

// listReferrers answers with an index of the referrers of a manifest. If there are none, the
// index is empty.
func (r *Registry) listReferrers(w http.ResponseWriter, q *http.Request, which string) {
	h, err := v1.NewHash(which)
	if err != nil {
		fail(w, http.StatusBadRequest, "DIGEST_INVALID", err.Error())
		return
	}
	m := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{}}
	filter := q.URL.Query().Get("artifactType")
	for _, d := range r.about(h) {
		if filter == "" || d.ArtifactType == filter {
			m.Manifests = append(m.Manifests, d)
		}
	}
	if filter != "" {
		w.Header().Set("OCI-Filters-Applied", "artifactType")
	}
	w.Header().Set("Content-Type", string(types.OCIImageIndex))
	reply(w, http.StatusOK, m)
}

// page returns the part of a sorted list that the query asks for, n names after last, and links
// to the next.
func page(w http.ResponseWriter, q *http.Request, all []string) []string {
	v := q.URL.Query()
	if last := v.Get("last"); last != "" {
		at, found := slices.BinarySearch(all, last)
		if found {
			at++
		}
		all = all[at:]
	}
	if n, err := strconv.Atoi(v.Get("n")); err == nil && n >= 0 && n < len(all) {
		all = all[:n]
		if n > 0 {
			next := url.Values{"n": {v.Get("n")}, "last": {all[n-1]}}
			w.Header().Set("Link", fmt.Sprintf("<%s?%s>; rel=\"next\"", q.URL.Path, next.Encode()))
		}
	}
	if all == nil {
		return []string{}
	}
	return all
}

// reply writes v as JSON, and ignores errors: the client is gone.
func reply(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, nil
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	w.Write(b) //nolint:errcheck // see above
}

// fail answers with an error in the form of the specification.
func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	reply(w, status, map[string][]map[string]string{"errors": {{"code": code, "message": message}}})
}
