package registrytest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// Whole refuses a manifest whose client went away before it had sent all of it. Registries do;
// go-containerregistry's puts what has arrived.
func Whole(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPut && strings.Contains(q.URL.Path, "/manifests/") {
			raw, err := io.ReadAll(q.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			q.Body = io.NopCloser(bytes.NewReader(raw))
		}
		inner.ServeHTTP(w, q)
	})
}
