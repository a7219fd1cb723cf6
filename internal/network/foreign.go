package network

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// foreign makes requests for layers that a registry does not have, to the URLs in descriptors.
// Whoever pushed an image chose these, and this machine may be inside of a network that he is not
// in: only HTTPS, and no addresses of this machine or of private networks, unless the registry is
// there, too.
type foreign struct {
	inner    http.RoundTripper
	proxy    func(*http.Request) (*url.URL, error)
	registry netip.Addr // that has answered; zero if a proxy has
}

// proxied marks the context of a request that a proxy makes: it is dialed, and not the host.
type proxied struct{}

// foreign returns a client for the URLs of a descriptor.
func (c *Client) foreign(registry netip.Addr) http.RoundTripper {
	f := foreign{inner: c.o.Transport, registry: registry}
	if t, ok := c.o.Transport.(*http.Transport); ok {
		t = t.Clone() // a connection of others was dialed without a look
		t.DisableKeepAlives = true
		dialer := &net.Dialer{Timeout: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return reachable(at.Addr(), registry)
		}}
		dial := t.DialContext
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if ctx.Value(proxied{}) != nil {
				return dial(ctx, network, address)
			}
			return dialer.DialContext(ctx, network, address)
		}
		f.inner, f.proxy = t, t.Proxy
	}
	return newGate(newRetrying(watchful{named{f}, c.o, c.lanes}, c.o, c.lanes), c.o.Limit)
}

func (f foreign) RoundTrip(q *http.Request) (*http.Response, error) {
	here := f.registry.IsLoopback() && imagename.Loopback(q.URL.Host)
	if q.URL.Scheme != "https" && !here {
		return nil, fmt.Errorf("%s is not HTTPS, and the descriptor of a layer names it", redactURL(q.URL))
	}
	if host, err := netip.ParseAddr(q.URL.Hostname()); err == nil {
		if err := reachable(host, f.registry); err != nil {
			return nil, err
		}
	} else if imagename.Loopback(q.URL.Host) && !here {
		return nil, fmt.Errorf("%s is this machine, and the descriptor of a layer names it", q.URL.Host)
	}
	if f.proxy != nil {
		if p, err := f.proxy(q); err != nil || p != nil {
			q = q.WithContext(context.WithValue(q.Context(), proxied{}, true))
		}
	}
	return f.inner.RoundTrip(q)
}

// shared are the addresses of networks behind carriers (RFC 6598), and nat64 those that lead to the
// IPv4 address in their last bytes (RFC 6052).
var (
	shared = netip.MustParsePrefix("100.64.0.0/10")
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
)

// scope is the network in which an address has its meaning; "" for the Internet.
func scope(a netip.Addr) string {
	a = a.Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case a.IsLoopback() || a.IsUnspecified(): // which connects to this machine
		return "of this machine"
	case a.IsLinkLocalUnicast() || a.IsMulticast():
		return "of a local link"
	case a.IsPrivate() || shared.Contains(a):
		return "of a private network"
	}
	return ""
}

// reachable returns an error for an address that a registry may not name.
func reachable(a, registry netip.Addr) error {
	if s := scope(a); s != "" && (!registry.IsValid() || s != scope(registry)) {
		return fmt.Errorf("%s is an address %s, and the descriptor of a layer names it: the registry is elsewhere",
			a, s)
	}
	return nil
}

// answering returns a context in which the address of the host that is asked first is noted. The
// address is zero where a proxy asks.
func (c *Client) answering(ctx context.Context, u string) (context.Context, func() netip.Addr) {
	var mu sync.Mutex
	var first netip.Addr
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		mu.Lock()
		defer mu.Unlock()
		if at, err := netip.ParseAddrPort(i.Conn.RemoteAddr().String()); err == nil && !first.IsValid() {
			first = at.Addr()
		}
	}})
	return ctx, func() netip.Addr {
		if t, ok := c.o.Transport.(*http.Transport); ok && t.Proxy != nil {
			if q, err := http.NewRequest(http.MethodGet, u, nil); err != nil { //nolint:noctx // it is not sent
				return netip.Addr{}
			} else if p, err := t.Proxy(q); err != nil || p != nil {
				return netip.Addr{}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		return first
	}
}

// restrictedZstd is the media type of OCI that types has not.
const restrictedZstd types.MediaType = "application/vnd.oci.image.layer.nondistributable.v1.tar+zstd"

// elsewhere returns the URLs of a layer that a registry need not have: one that may not be
// distributed. Those of others are not followed: the registry has these layers, or nobody.
func elsewhere(d v1.Descriptor) []string {
	if d.MediaType.IsDistributable() && d.MediaType != restrictedZstd {
		return nil
	}
	return d.URLs
}
