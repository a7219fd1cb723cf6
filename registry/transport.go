package registry

import (
	"io"
	"net/http"
	"strconv"
	"sync"
)

// Transport returns a RoundTripper that calls h in this process, whatever host a request names,
// without a socket and without copying the body.
func Transport(h http.Handler) http.RoundTripper { return transport{h} }

type transport struct{ handler http.Handler }

func (t transport) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	if q.Body == nil {
		q.Body = http.NoBody
	}
	body, pipe := io.Pipe()
	w := &response{header: http.Header{}, body: pipe, ready: make(chan struct{}), head: q.Method == http.MethodHead}
	go func() {
		defer q.Body.Close()
		t.handler.ServeHTTP(w, q)
		w.WriteHeader(http.StatusOK)
		pipe.Close()
	}()
	select {
	case <-w.ready:
	case <-q.Context().Done():
		body.Close()
		return nil, q.Context().Err()
	}
	a := &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: q,
	}
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		a.ContentLength = n
	}
	if w.head {
		a.Body = http.NoBody
	}
	return a, nil
}

// response is an http.ResponseWriter whose body is read from a pipe.
type response struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	ready        chan struct{} // closed when status and sent are set
	once         sync.Once
	head         bool
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.head {
		return len(p), nil
	}
	return w.body.Write(p)
}
