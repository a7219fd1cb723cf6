package docs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// registries are the hosts of pages that are registries. They are empty but for what a page's
// product is based on.
var registries = []string{
	"ghcr.io", "gcr.io", "quay.io", "cgr.dev", "index.docker.io", "mcr.microsoft.com", "registry.k8s.io", "registry.rancher.com",
	"registry.internal", "staging.example", "us-central1-docker.pkg.dev",
}

// net is all that a machine reaches: hosts by their names, at port 443 and with certificates of an
// authority of the test.
type net struct {
	hosts     map[string]http.Handler
	authority []byte // its certificate
	key       tls.Certificate
}

// newNet makes the registries.
func newNet(t *testing.T) *net {
	t.Helper()
	n := &net{hosts: map[string]http.Handler{}}
	for _, host := range registries {
		n.hosts[host] = registrytest.Handler()
	}
	n.certify(t)
	return n
}

// certify makes a certificate that is its own authority.
func (n *net) certify(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "documentation"}, NotBefore: time.Unix(0, 0),
		NotAfter: time.Now().Add(24 * time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: n.names(),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(t, err)
	n.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	n.key = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (n *net) names() []string { return append(slices.Sorted(maps.Keys(n.hosts)), others...) }

// others are the hosts that [machine.internet] answers for.
var others = []string{"proxy.golang.org", "api.github.com", "uploads.github.com", "github.com", "dl.k8s.io"}

// table is /etc/hosts.
func (n *net) table() string {
	return "127.0.0.1 localhost " + strings.Join(n.names(), " ") + "\n"
}

// listen answers in a namespace until the test ends.
func (n *net) listen(t *testing.T, ns *namespace.Namespace) error {
	t.Helper()
	l, err := ns.Listen(t.Context(), "127.0.0.1:443")
	if err != nil {
		return err
	}
	s := httptest.NewUnstartedServer(n)
	s.Listener.Close()
	s.Listener, s.TLS = l, &tls.Config{Certificates: []tls.Certificate{n.key}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return nil
}

// ServeHTTP answers for the host that is asked.
func (n *net) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	host := n.hosts[q.Host]
	if host == nil {
		http.Error(w, fmt.Sprintf("there is no %s", q.Host), http.StatusBadGateway)
		return
	}
	host.ServeHTTP(w, q)
}

// RoundTrip asks a host without a network, for what the test itself puts there.
func (n *net) RoundTrip(q *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	q = q.Clone(q.Context())
	q.Host = q.URL.Host
	if q.Body == nil {
		q.Body = http.NoBody
	}
	n.ServeHTTP(w, q)
	r := w.Result()
	r.Request = q
	return r, nil
}
