package network

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// direct is go-containerregistry's transport, except that connections to localhost and its
// subdomains stay on this machine. Plain HTTP is used with them, so neither HTTP_PROXY nor a name
// server may redirect them (https://www.rfc-editor.org/rfc/rfc6761#section-6.3).
var direct = sync.OnceValue(func() *http.Transport {
	t := remote.DefaultTransport.(*http.Transport).Clone()
	proxy, dial := t.Proxy, t.DialContext
	t.Proxy = func(q *http.Request) (*url.URL, error) {
		if imagename.Loopback(q.URL.Host) {
			return nil, nil
		}
		return proxy(q)
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(addr); err == nil && strings.HasSuffix(host, ".localhost") {
			addr = net.JoinHostPort("localhost", port)
		}
		return dial(ctx, network, addr)
	}
	return t
})
