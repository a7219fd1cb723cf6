package registry

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// upload answers a push of one blob: POST opens a session, or mounts a blob that any repository
// has; PATCH sends bytes in order; PUT closes the session under a digest; DELETE cancels it.
func (r *Registry) upload(w http.ResponseWriter, q *http.Request, repo, session string) {
	if q.Method == http.MethodPost && session == "" {
		r.openUpload(w, q, repo)
		return
	}
	b, ok := r.take(session)
	if !ok {
		fail(w, http.StatusNotFound, "BLOB_UPLOAD_UNKNOWN", "no such upload, or another request is writing to it")
		return
	}
	switch q.Method {
	case http.MethodPatch:
		if _, err := io.Copy(b, q.Body); err != nil {
			b.Abort()
			fail(w, http.StatusInternalServerError, "BLOB_UPLOAD_INVALID", err.Error())
			return
		}
		r.give(session, b)
		accepted(w, repo, session, b.Size())
	case http.MethodPut:
		defer b.Abort()
		r.closeUpload(w, q, repo, b)
	default:
		b.Abort()
		w.WriteHeader(http.StatusNoContent)
	}
}

func (r *Registry) openUpload(w http.ResponseWriter, q *http.Request, repo string) {
	for _, name := range []string{"mount", "digest"} {
		if h, err := v1.NewHash(q.URL.Query().Get(name)); err == nil && r.store.Has(h) {
			created(w, repo, h)
			return
		}
	}
	b, err := r.store.Create()
	if err != nil {
		fail(w, http.StatusInternalServerError, "UNKNOWN", err.Error())
		return
	}
	if q.URL.Query().Has("digest") {
		defer b.Abort()
		r.closeUpload(w, q, repo, b)
		return
	}
	session := rand.Text()
	r.give(session, b)
	accepted(w, repo, session, 0)
}

func (r *Registry) closeUpload(w http.ResponseWriter, q *http.Request, repo string, b *store.Blob) {
	want, err := v1.NewHash(q.URL.Query().Get("digest"))
	if err != nil {
		fail(w, http.StatusBadRequest, "DIGEST_INVALID", err.Error())
		return
	}
	if _, err := io.Copy(b, q.Body); err != nil {
		fail(w, http.StatusInternalServerError, "BLOB_UPLOAD_INVALID", err.Error())
		return
	}
	if got := b.Digest(); got != want {
		fail(w, http.StatusBadRequest, "DIGEST_INVALID", fmt.Sprintf("the blob arrived with digest %s", got))
		return
	}
	if _, _, err := b.Commit(); err != nil {
		fail(w, http.StatusInternalServerError, "UNKNOWN", err.Error())
		return
	}
	created(w, repo, want)
}

// take removes a session, so that one request at a time writes to it; give adds it again.
func (r *Registry) take(session string) (*store.Blob, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.uploads[session]
	delete(r.uploads, session)
	return b, ok
}

func (r *Registry) give(session string, b *store.Blob) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uploads[session] = b
}

// Close drops unfinished uploads.
func (r *Registry) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.uploads {
		b.Abort()
	}
	clear(r.uploads)
	return nil
}

func accepted(w http.ResponseWriter, repo, session string, size int64) {
	w.Header().Set("Location", fmt.Sprintf("/v2/%s/blobs/uploads/%s", repo, session))
	w.Header().Set("Docker-Upload-UUID", session)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(size-1, 0)))
	w.WriteHeader(http.StatusAccepted)
}

func created(w http.ResponseWriter, repo string, h v1.Hash) {
	w.Header().Set("Location", fmt.Sprintf("/v2/%s/blobs/%s", repo, h))
	w.Header().Set("Docker-Content-Digest", h.String())
	w.WriteHeader(http.StatusCreated)
}

// blob answers GET and HEAD of a blob, with byte ranges.
func (r *Registry) blob(w http.ResponseWriter, q *http.Request, which string) {
	h, err := v1.NewHash(which)
	if err != nil {
		fail(w, http.StatusBadRequest, "DIGEST_INVALID", err.Error())
		return
	}
	f, err := regular.Open(r.store.Path(h)) // unverified, for ranges; who pulls a blob compares it with its digest
	if err != nil {
		fail(w, http.StatusNotFound, "BLOB_UNKNOWN", h.String()+" is not in the registry")
		return
	}
	defer f.Close()
	serve(w, q, h, "application/octet-stream", f)
}
