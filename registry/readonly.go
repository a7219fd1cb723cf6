package registry

import (
	"net/http"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

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
