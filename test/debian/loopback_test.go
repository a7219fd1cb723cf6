package debian

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

const running = `FROM debian-base:bookworm
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates cifs-utils curl nfs-common open-iscsi && \
    rm -rf /var/lib/apt/lists/*
COPY authority.pem /usr/local/share/ca-certificates/loopback.crt
RUN update-ca-certificates && useradd --system --uid 1234 --no-create-home tester
USER tester
`

// TestRuns runs programs of packages in containers, as the user of the image: those that mount, and
// curl, which trusts a server because of a certificate that the Dockerfile adds.
func TestRuns(t *testing.T) {
	file := base(t, bookworm, true)
	r := registrytest.Serve(t)
	pushed(t, r, file, bookworm)
	p := product{
		upstream: upstream{name: "running", file: "Dockerfile", base: bookworm, from: []string{"debian-base:bookworm"}},
		dir:      t.TempDir(), store: filepath.Join(t.TempDir(), "store"), registry: r,
	}
	authority, trusted := servesTLS(t)
	must(t, os.Mkdir(filepath.Join(p.dir, "upstream"), 0o755))
	must(t, os.WriteFile(filepath.Join(p.dir, "upstream", "Dockerfile"), []byte(running), 0o644))
	must(t, os.WriteFile(filepath.Join(p.dir, "upstream", "authority.pem"), authority, 0o644))
	p.write(t)
	p.run(t, "bases")
	p.run(t, "pin", "-store="+p.store)
	p.release(t)
	root := filepath.Join(t.TempDir(), "root")
	img := p.image(t, p.name, root)

	if out, err := contained(t, img, root, "id", "-un"); err != nil || strings.TrimSpace(out) != "tester" {
		t.Errorf("the user is %q, %v", out, err)
	}
	for _, args := range [][]string{{"mount.cifs", "-V"}, {"mount.nfs", "-V"}, {"iscsiadm", "--version"}} {
		prints(t, img, root, args...)
	}
	if out, err := contained(t, img, root, "curl", "-sS", trusted); err != nil || out != "hello" {
		t.Errorf("curl %s: %q, %v", trusted, out, err)
	}
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	other.Config.ErrorLog = log.New(io.Discard, "", 0)
	if out, err := contained(t, img, root, "curl", "-sS", other.URL); err == nil || !strings.Contains(out, "certificate") {
		t.Errorf("curl of a server that nobody vouches for: %q, %v", out, err)
	}
}

// servesTLS serves a greeting on loopback, with a certificate of an authority of its own.
func servesTLS(t *testing.T) (authority []byte, url string) {
	t.Helper()
	template := func(serial int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		}
	}
	ca, leaf := template(1, "An authority of a test"), template(2, "loopback")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	leaf.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	must(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), caKey)
	must(t, err)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "hello") //nolint:errcheck // curl misses it then
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), s.URL
}
