package network

import (
	"fmt"
	"net/http"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// secure refuses plain HTTP with other machines, and redirects from HTTPS to HTTP.
type secure struct{ inner http.RoundTripper }

func (s secure) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Scheme != "https" {
		if !imagename.Loopback(q.URL.Host) {
			return nil, fmt.Errorf("%s: plain HTTP is for loopback addresses only", q.URL.Host)
		}
		if before := q.Response; before != nil && before.Request != nil && before.Request.URL.Scheme == "https" {
			return nil, fmt.Errorf("%s redirects to plain HTTP at %s", before.Request.URL.Host, q.URL.Host)
		}
	}
	return s.inner.RoundTrip(q)
}
