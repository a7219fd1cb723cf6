package registry

import (
	"net/http"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/regular"
)

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
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Docker-Content-Digest", h.String())
	w.Header().Set("Etag", `"`+h.String()+`"`)
	http.ServeContent(w, q, "", time.Time{}, f)
}
