package registrytest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	ggcr "github.com/google/go-containerregistry/pkg/registry"
)

// Memory starts a registry that is reached by [Network.Transport] only, without the kernel: in a
// bubble of testing/synctest it takes no time, whatever it waits for.
func Memory(tb testing.TB, host string, o ...ggcr.Option) (*Server, *Network) {
	tb.Helper()
	n := &Network{host: address(host), conns: make(chan net.Conn), closed: make(chan struct{})}
	s := New(tb, o...)
	s.Server = &httptest.Server{Listener: n, Config: &http.Server{Handler: s}} //nolint:gosec // as NewUnstartedServer does
	s.Start()
	tb.Cleanup(func() {
		s.end()
		s.CloseClientConnections()
		s.Close()
	})
	return s, n
}

// Network is a listener without the kernel.
type Network struct {
	host   address
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	// Dialed, if it is set, gets the connections instead of the server.
	Dialed func(net.Conn)
}

// Transport connects to the listener, whatever the address is.
func (n *Network) Transport(tb testing.TB) *http.Transport {
	t := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		if n.Dialed != nil {
			n.Dialed(there)
			return here, nil
		}
		n.Connect(there)
		return here, nil
	}}
	tb.Cleanup(t.CloseIdleConnections)
	return t
}

// Connect gives the server a connection.
func (n *Network) Connect(c net.Conn) {
	select {
	case n.conns <- c:
	case <-n.closed:
		c.Close()
	}
}

// Accept returns the next connection.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr returns the host that Memory was given.
func (n *Network) Addr() net.Addr { return n.host }

type address string

func (a address) Network() string { return "memory" }
func (a address) String() string  { return string(a) }
