package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// maxManifest is the size that registries refuse manifests above, in bytes.
const maxManifest = 4 << 20

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
	raw, err := r.store.ReadAll(h, maxManifest)
	if err != nil {
		fail(w, http.StatusNotFound, "MANIFEST_UNKNOWN", err.Error())
		return
	}
	mt := sniff(raw)
	if mt == "" {
		fail(w, http.StatusNotFound, "MANIFEST_UNKNOWN", fmt.Sprintf("%s is no manifest", h))
		return
	}
	w.Header().Set("Content-Type", string(mt))
	w.Header().Set("Docker-Content-Digest", h.String())
	w.Header().Set("Etag", `"`+h.String()+`"`)
	http.ServeContent(w, q, "", time.Time{}, bytes.NewReader(raw))
}

// putManifest stores a manifest under its digest and, where which is a tag, names it. What it
// refers to must be there.
func (r *Registry) putManifest(w http.ResponseWriter, q *http.Request, repo, which string) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxManifest))
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, "MANIFEST_INVALID", err.Error())
		return
	}
	if sniff(raw) == "" {
		fail(w, http.StatusBadRequest, "MANIFEST_INVALID", "the body is no manifest")
		return
	}
	for _, h := range children(raw) {
		if !r.store.Has(h) {
			fail(w, http.StatusBadRequest, "MANIFEST_BLOB_UNKNOWN", fmt.Sprintf("%s is not in the registry", h))
			return
		}
	}
	h, _, err := v1.SHA256(bytes.NewReader(raw))
	if err != nil {
		fail(w, http.StatusInternalServerError, "UNKNOWN", err.Error())
		return
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
	w.Header().Set("Location", fmt.Sprintf("/v2/%s/manifests/%s", repo, h))
	w.Header().Set("Docker-Content-Digest", h.String())
	w.WriteHeader(http.StatusCreated)
}

// document is an index or a manifest: the fields of both.
type document struct {
	v1.IndexManifest
	Config *v1.Descriptor  `json:"config"`
	Layers []v1.Descriptor `json:"layers"`
}

// sniff returns the media type of a manifest, by its own word or by its fields, or nothing for
// any other blob.
func sniff(raw []byte) types.MediaType {
	var d document
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &d) != nil || d.SchemaVersion != 2 {
		return ""
	}
	switch {
	case d.MediaType != "":
		return d.MediaType
	case d.Manifests != nil:
		return types.OCIImageIndex
	case d.Config != nil:
		return types.OCIManifestSchema1
	}
	return ""
}

// children lists what a manifest refers to, without layers that may be left elsewhere.
func children(raw []byte) []v1.Hash {
	var d document
	if json.Unmarshal(raw, &d) != nil {
		return nil
	}
	var all []v1.Hash
	for _, m := range d.Manifests {
		all = append(all, m.Digest)
	}
	if d.Config != nil {
		all = append(all, d.Config.Digest)
	}
	for _, l := range d.Layers {
		if l.MediaType.IsDistributable() {
			all = append(all, l.Digest)
		}
	}
	return all
}
