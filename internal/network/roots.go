package network

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"

	"github.com/slipway-dev/slipway/internal/regular"
)

// TrustFile returns a transport for [Options] that trusts the certificate authorities of a PEM
// file in addition to those of the system: private registries often have their own. Otherwise it
// is the default transport.
func TrustFile(path string) (http.RoundTripper, error) {
	pem, err := regular.Given(path, 64<<20)
	if err != nil {
		return nil, fmt.Errorf("reading certificate authorities: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without any
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("reading certificate authorities: "+
			"%s contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)", path)
	}
	t := direct().Clone()
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t, nil
}
