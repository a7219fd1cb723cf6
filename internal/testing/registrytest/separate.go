package registrytest

import (
	"net/http"
	"strings"
	"sync"
)

// Separate turns a registry that has all blobs in one place into one that keeps them per repository
// and can mount them.
func Separate(inner http.Handler) http.Handler {
	var mu sync.Mutex
	there := map[string]bool{} // "repository digest"
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		repo, rest, ok := strings.Cut(strings.TrimPrefix(q.URL.Path, "/v2/"), "/blobs/")
		if !ok {
			inner.ServeHTTP(w, q)
			return
		}
		v := q.URL.Query()
		mu.Lock()
		absent := q.Method == http.MethodHead && !there[repo+" "+rest]
		mounted := q.Method == http.MethodPost && v.Has("mount") && there[v.Get("from")+" "+v.Get("mount")]
		if mounted {
			there[repo+" "+v.Get("mount")] = true
		}
		if q.Method == http.MethodPut {
			there[repo+" "+v.Get("digest")] = true
		}
		mu.Unlock()
		switch {
		case absent:
			Lacks(w)
		case mounted:
			w.WriteHeader(http.StatusCreated)
		default:
			inner.ServeHTTP(w, q)
		}
	})
}
