package network_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// TestUnreached connects to a host for several repositories: whichever is first, the error names
// the host, why, and what to do.
func TestUnreached(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	unknown := secured(t, httptest.NewUnstartedServer(nil))
	expired := secured(t, httptest.NewUnstartedServer(nil), time.Now().Add(-time.Hour))
	trusting := http.DefaultTransport.(*http.Transport).Clone()
	trusting.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	trusting.TLSClientConfig.RootCAs.AddCert(expired.Certificate())
	nameless := http.DefaultTransport.(*http.Transport).Clone()
	nameless.DialContext = func(_ context.Context, network, addr string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(addr)
		return nil, &net.OpError{
			Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true},
		}
	}
	for what, c := range map[string]struct {
		host      string
		transport http.RoundTripper
		want      string // of HOST
	}{
		"refused": {closed.Listener.Addr().String(), nil, "HOST cannot be reached: dial tcp HOST: connect: connection refused: " +
			"correct the host and port, or start the server that is to listen there"},
		"unknown host": {"registry.example", nameless, "HOST cannot be reached: dial tcp: lookup HOST: no such host: " +
			"correct the name of the host, or set HTTPS_PROXY if only a proxy knows it"},
		"unknown authority": {unknown.Listener.Addr().String(), nil, "HOST cannot be reached: tls: failed to verify certificate: " +
			"x509: certificate signed by unknown authority: name its certificate authority with -ca-file, " +
			"or set SSL_CERT_FILE to its PEM file"},
		"expired": {expired.Listener.Addr().String(), trusting, "is after "},
	} {
		t.Run(what, func(t *testing.T) {
			client := network.New(network.Options{Transport: c.transport, Wait: time.Millisecond, Attempts: 2})
			for _, path := range []string{"a/one", "a/two"} {
				repo, err := name.NewRepository(c.host + "/" + path)
				if err != nil {
					t.Fatal(err)
				}
				_, err = client.Session(t.Context(), repo)
				err = network.Cause(fmt.Errorf("pushing %s: %w", repo, err))
				got := howto.Remedied(err)
				if !errors.As(err, new(*network.Unreached)) || !outcome.Failed(err) ||
					!strings.Contains(got, strings.ReplaceAll(c.want, "HOST", c.host)) ||
					!strings.HasPrefix(got, c.host+" cannot be reached: ") {
					t.Errorf("%v", got)
				}
				if what == "expired" && !strings.HasSuffix(got, ": renew its certificate; if that is valid, set the clock of this machine") {
					t.Errorf("%v", got)
				}
			}
			place := fmt.Errorf("images.txt:1:2: %w", &network.Unreached{Host: c.host, Err: errors.New("gone")})
			if network.Cause(place) != place { //nolint:errorlint // the same one
				t.Error("the place of its name is lost")
			}
			both := errors.Join(errors.New("another"), &network.Unreached{Host: c.host, Err: errors.New("gone")})
			if network.Cause(both) != both { //nolint:errorlint // the same one
				t.Error("what is joined to it is lost")
			}
		})
	}
}

// TestDistrust finds a certificate that is not trusted at a server that drops plain HTTP: the error
// is final.
func TestDistrust(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	drops := &dropping{Listener: s.Listener}
	s.Listener = drops
	secured(t, s)
	repo, err := name.NewRepository(s.Listener.Addr().String() + "/a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = network.New(options()).Session(t.Context(), repo)
	if !errors.As(err, new(x509.UnknownAuthorityError)) || drops.dropped.Load() != 1 {
		t.Errorf("%d connections of plain HTTP: %v", drops.dropped.Load(), err)
	}
}

// dropping is a listener that closes connections that do not begin with a handshake of TLS.
type dropping struct {
	net.Listener
	dropped atomic.Int32
}

func (d *dropping) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	return &first{Conn: c, d: d}, err
}

type first struct {
	net.Conn
	d    *dropping
	seen bool
}

func (f *first) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	if n > 0 && !f.seen && p[0] != 22 { // a record of a handshake
		f.d.dropped.Add(1)
		f.Close()
		return 0, io.EOF
	}
	f.seen = true
	return n, err
}

// secured starts a server with a certificate that nobody has signed, until some time.
func secured(t *testing.T, s *httptest.Server, until ...time.Time) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: append(until, time.Now().Add(time.Hour))[0],
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}
