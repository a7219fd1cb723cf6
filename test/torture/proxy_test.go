//go:build linux && amd64

package torture

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// proxy is between slipway and a registry, at an address that stays.
type proxy struct {
	address string
	mu      sync.Mutex
	server  *http.Server
	handler http.Handler
	n       int // requests since the last heal
	fault   answer
	pushed  []string // paths of the manifests that the registry was sent
	secure  bool     // by HTTPS
}

// answer answers request n in the place of the registry, or reports false.
type answer func(w http.ResponseWriter, r *http.Request, n int, registry http.Handler) bool

func listen(secure bool) (*proxy, error) {
	p := &proxy{address: "127.0.0.1:0", secure: secure}
	return p, p.open()
}

// open begins to listen.
func (p *proxy) open() error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", p.address)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	p.mu.Lock()
	p.address, p.server = l.Addr().String(), s
	p.mu.Unlock()
	if p.secure {
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
		s.ErrorLog = log.New(io.Discard, "", 0)
		go s.ServeTLS(l, "", "") //nolint:errcheck // it is closed
		return nil
	}
	go s.Serve(l) //nolint:errcheck // it is closed
	return nil
}

// refuse stops listening: connections are refused until open is called.
func (p *proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server != nil {
		p.server.Close()
		p.server = nil
	}
}

// behind sets the registry.
func (p *proxy) behind(h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handler, p.pushed = h, nil
}

func (p *proxy) backend() http.Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handler
}

// disturb lets an answer take the place of the registry's.
func (p *proxy) disturb(a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.fault = 0, a
}

// heal ends all faults and returns how many requests there were.
func (p *proxy) heal() int {
	p.mu.Lock()
	n, closed := p.n, p.server == nil
	p.n, p.fault = 0, nil
	p.mu.Unlock()
	if closed {
		if err := p.open(); err != nil {
			panic(problem{err})
		}
	}
	return n
}

// ServeHTTP answers by the fault, or by the registry.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.n++
	n, fault, registry := p.n, p.fault, p.handler
	if manifests(r) {
		p.pushed = append(p.pushed, r.URL.Path)
	}
	p.mu.Unlock()
	if fault == nil || !fault(w, r, n, registry) {
		registry.ServeHTTP(w, r)
	}
}
