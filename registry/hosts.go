package registry

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// guard answers requests only for hosts that the server is known by. A page in a browser on this
// machine may have its own name resolve to 127.0.0.1 to read from the server (DNS rebinding); the
// name in the request reveals that.
type guard struct {
	inner http.Handler
	at    net.IP
	names []string // further names, in lower case
}

// newGuard returns a guard for a server that was asked to listen at addr and listens at at.
func newGuard(inner http.Handler, addr string, at net.Addr) *guard {
	g := &guard{inner: inner}
	if tcp, ok := at.(*net.TCPAddr); ok {
		g.at = tcp.IP
	}
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
		g.names = append(g.names, strings.ToLower(host))
	}
	if own, err := os.Hostname(); err == nil && g.at.IsUnspecified() {
		g.names = append(g.names, strings.ToLower(own))
	}
	return g
}

// ServeHTTP answers one request, or refuses it in the form of the distribution specification.
func (g *guard) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if g.knows(q.Host) {
		g.inner.ServeHTTP(w, q)
		return
	}
	fail(w, http.StatusForbidden, "DENIED", fmt.Sprintf("this server is not known by the name %.255q: "+
		"use the address that it prints, or start it with -addr=NAME:PORT", q.Host))
}

// knows reports whether a request for host is meant for this server. Names of the loopback
// interface are, unless the server listens at another address alone. A server on all interfaces
// answers to any IP address, since only its own lead to it.
func (g *guard) knows(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if slices.Contains(g.names, host) {
		return true
	}
	ip := net.ParseIP(host)
	switch {
	case g.at.IsUnspecified():
		return ip != nil || imagename.Loopback(host)
	case g.at.IsLoopback():
		return imagename.Loopback(host)
	}
	return ip != nil && ip.Equal(g.at)
}
