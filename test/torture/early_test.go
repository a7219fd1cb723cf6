//go:build linux && amd64

package torture

import (
	"crypto/tls"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
)

// certificate is that of secure registries.
var certificate tls.Certificate

// secureRegistries makes the certificate, and lets this process and slipway trust it.
func secureRegistries(dir string) error {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	certificate = s.TLS.Certificates[0]
	path := filepath.Join(dir, "registries.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		0o600); err != nil {
		return err
	}
	return os.Setenv("SSL_CERT_FILE", path)
}

// answers are those of a registry that does not read what it is sent: a token that ran out, too
// many requests, too large, not now.
var answers = []trouble{
	{"401", false, uploads, status(401)},
	{"429", true, uploads, func(w http.ResponseWriter, r *http.Request, h http.Handler) {
		w.Header().Set("Retry-After", "1")
		status(429)(w, r, h)
	}},
	{"413", false, uploads, status(413)},
	{"503", true, uploads, status(503)},
}

// early answers uploads by HTTP/2 while they are on their way: the client may close what it reads
// from while it reads it.
func early() (cases []fault) {
	for _, s := range scenarios {
		if requests := surveyed[s].requests; s.registry == secure && requests > 0 {
			for _, tr := range answers {
				for _, mode := range []string{"once", "once-more", "always"} {
					cases = append(cases, troubled("early answer", s, tr, mode, max(1, requests/2)))
				}
			}
		}
	}
	return cases
}
