package registrytest

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"strings"

	ggcr "github.com/google/go-containerregistry/pkg/registry"
)

// Handler is go-containerregistry's registry, which refuses a manifest whose client went away
// before it had sent all of it, as registries do; without this it puts what has arrived.
func Handler(o ...ggcr.Option) http.Handler {
	inner := ggcr.New(append(o, ggcr.Logger(log.New(io.Discard, "", 0)))...)
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
