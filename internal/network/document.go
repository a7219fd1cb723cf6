package network

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// documentKey is the key of the context of a request for a document: its bound in bytes.
type documentKey struct{}

// ofDocument returns a request whose answer is a document of a bounded size.
func ofDocument(q *http.Request, bound int64) *http.Request {
	return q.WithContext(context.WithValue(q.Context(), documentKey{}, bound))
}

// documentTime is how long the body of a document may take: three times Options.Document for the
// largest, so that by default it needs 47 kB a second.
func (o Options) documentTime(size int64) time.Duration {
	return o.Document + 2*time.Duration(float64(o.Document)*float64(size)/maxAnswer)
}

// tardy is the error of a document that comes too slowly, even if each second has enough bytes.
// The connection does not count as dropped: the next one would be as slow.
type tardy struct {
	host string
	in   time.Duration
}

func (t *tardy) Error() string {
	return fmt.Sprintf("%s has not sent all of a document within %v: no registry is that slow", t.host, rounded(t.in))
}

// timed is the body of an answer, which ends in time if it is a document.
func (w watchful) timed(q *http.Request, a *http.Response, cancel context.CancelCauseFunc) (stop func()) {
	bound, ok := q.Context().Value(documentKey{}).(int64)
	if !ok {
		return func() {}
	}
	if a.ContentLength >= 0 {
		bound = min(bound, a.ContentLength)
	}
	limit := w.o.documentTime(bound)
	t := time.AfterFunc(limit, func() { cancel(&tardy{q.URL.Host, limit}) })
	return sync.OnceFunc(func() { t.Stop() })
}
