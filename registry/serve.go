package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Serve answers requests at addr (127.0.0.1:5000, or 127.0.0.1:0 for a free port) until ctx ends;
// then it waits at most 5 seconds for open requests and returns nil. ready is called with the
// address once the server listens. A handler that is an io.Closer is closed at the end. Requests
// for a host that is neither a name of the loopback interface nor the address are refused.
func Serve(ctx context.Context, addr string, h http.Handler, ready func(net.Addr)) (err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("serving: %w: choose another address", err)
	}
	if c, ok := h.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	s := &http.Server{Handler: newGuard(h, addr, l.Addr()), ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(l) }()
	if ready != nil {
		ready(l.Addr())
	}
	select {
	case err := <-stopped:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.Shutdown(grace); err != nil {
		s.Close()
	}
	return nil
}

// Address returns the host by which this machine pulls from a server at an address, and a
// warning if others can reach it too.
func Address(at net.Addr) (host, warning string) {
	tcp, ok := at.(*net.TCPAddr)
	switch {
	case !ok || tcp.IP.IsLoopback():
		return at.String(), ""
	case tcp.IP.IsUnspecified():
		return fmt.Sprintf("localhost:%d", tcp.Port),
			fmt.Sprintf("warning: listening on all interfaces: whoever reaches port %d of this machine can pull these "+
				"images, without a password; -addr=127.0.0.1:%d is for this machine alone", tcp.Port, tcp.Port)
	}
	return at.String(), fmt.Sprintf("warning: listening on %s: whoever reaches it can pull these images, "+
		"without a password; -addr=127.0.0.1:%d is for this machine alone", at, tcp.Port)
}
