package network

import (
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Loopback reports whether host[:port][/prefix] is this machine.
func Loopback(host string) bool {
	host, _, _ = strings.Cut(host, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// secure refuses plain HTTP with other machines, and redirects from HTTPS to HTTP.
type secure struct{ inner http.RoundTripper }

func (s secure) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Scheme != "https" {
		if !Loopback(q.URL.Host) {
			return nil, fmt.Errorf("%s: plain HTTP is for loopback addresses only", q.URL.Host)
		}
		if before := q.Response; before != nil && before.Request != nil && before.Request.URL.Scheme == "https" {
			return nil, fmt.Errorf("%s redirects to plain HTTP at %s", before.Request.URL.Host, q.URL.Host)
		}
	}
	return s.inner.RoundTrip(q)
}
