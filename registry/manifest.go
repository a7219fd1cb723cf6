package registry

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// manifest answers GET and HEAD of a manifest by tag or digest.
func (r *Registry) manifest(w http.ResponseWriter, q *http.Request, repo, which string) {
	h, err := v1.NewHash(which)
	if err != nil {
		var ok bool
		if h, ok = r.resolve(repo, which); !ok {
			fail(w, http.StatusNotFound, "MANIFEST_UNKNOWN", fmt.Sprintf("%s has no tag %s", repo, which))
			return
		}
	}
	raw, err := r.store.Get(v1.Descriptor{Digest: h})
	if err != nil {
		fail(w, http.StatusNotFound, "MANIFEST_UNKNOWN", err.Error())
		return
	}
	m, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	if err != nil {
		fail(w, http.StatusNotFound, "MANIFEST_UNKNOWN", err.Error())
		return
	}
	serve(w, q, h, string(m.Desc.MediaType), bytes.NewReader(raw))
}

// serve answers with a document or a blob, or a range of it.
func serve(w http.ResponseWriter, q *http.Request, h v1.Hash, mediaType string, content io.ReadSeeker) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Docker-Content-Digest", h.String())
	w.Header().Set("Etag", `"`+h.String()+`"`)
	http.ServeContent(w, q, "", time.Time{}, content)
}

// putManifest stores a manifest under its digest and, if which is a tag, names it. What it lists
// must be there. If it has a subject, the referrers API lists it for that; the header OCI-Subject
// informs the client that no tag has to.
func (r *Registry) putManifest(w http.ResponseWriter, q *http.Request, repo, which string) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, q.Body, oci.MaxManifest))
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, "MANIFEST_INVALID", err.Error())
		return
	}
	h, _, err := v1.SHA256(bytes.NewReader(raw))
	if err != nil {
		fail(w, http.StatusInternalServerError, "UNKNOWN", err.Error())
		return
	}
	m, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	if err != nil {
		fail(w, http.StatusBadRequest, "MANIFEST_INVALID", err.Error())
		return
	}
	for _, d := range required(m) {
		if !r.store.Has(d.Digest) {
			fail(w, http.StatusBadRequest, "MANIFEST_BLOB_UNKNOWN", fmt.Sprintf("%s is not in the registry", d.Digest))
			return
		}
	}
	want, err := v1.NewHash(which)
	if err == nil && want != h {
		fail(w, http.StatusBadRequest, "DIGEST_INVALID", fmt.Sprintf("the body has digest %s", h))
		return
	}
	if _, putErr := r.store.PutBytes(raw); putErr != nil {
		fail(w, http.StatusInternalServerError, "UNKNOWN", putErr.Error())
		return
	}
	if err == nil {
		which = ""
	}
	r.tag(repo, which, h)
	if m.Subject != nil {
		r.referTo(m.Subject.Digest, v1.Descriptor{
			MediaType: m.Desc.MediaType, Digest: h, Size: int64(len(raw)),
			ArtifactType: m.ArtifactType(), Annotations: m.Annotations,
		})
		w.Header().Set("OCI-Subject", m.Subject.Digest.String())
	}
	w.Header().Set("Location", fmt.Sprintf("/v2/%s/manifests/%s", repo, h))
	w.Header().Set("Docker-Content-Digest", h.String())
	w.WriteHeader(http.StatusCreated)
}

// required lists what the registry must have before a manifest is put: everything that it lists
// except non-distributable layers.
func required(m *oci.Tree) []v1.Descriptor {
	var all []v1.Descriptor
	for _, c := range m.Children {
		all = append(all, c.Desc)
	}
	if m.Config != nil {
		all = append(all, *m.Config)
	}
	for _, l := range m.Layers {
		if l.MediaType.IsDistributable() {
			all = append(all, l)
		}
	}
	return all
}
