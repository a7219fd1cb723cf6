package network

import (
	"net/http"
	"sync"
)

// gate lets a number of requests to each host through at a time, with all their attempts, so that
// none of them counts as stalled while it waits for its turn. A host that stalls does not hold up
// the others.
type gate struct {
	inner http.RoundTripper
	most  int

	mu    sync.Mutex
	hosts map[string]chan struct{}
}

// newGate returns inner itself if any number may pass.
func newGate(inner http.RoundTripper, most int) http.RoundTripper {
	if most == 0 {
		return inner
	}
	return &gate{inner: inner, most: most, hosts: map[string]chan struct{}{}}
}

// RoundTrip implements [http.RoundTripper].
func (g *gate) RoundTrip(q *http.Request) (*http.Response, error) {
	g.mu.Lock()
	host := g.hosts[q.URL.Host]
	if host == nil {
		host = make(chan struct{}, g.most)
		g.hosts[q.URL.Host] = host
	}
	g.mu.Unlock()
	select {
	case host <- struct{}{}:
	case <-q.Context().Done():
		return nil, q.Context().Err()
	}
	defer func() { <-host }()
	return g.inner.RoundTrip(q)
}
