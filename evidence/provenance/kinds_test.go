package provenance_test

import (
	"testing"

	"github.com/slipway-dev/slipway/evidence/provenance"
)

// TestGoVersion reads the version of Go out of the URIs of dependencies.
func TestGoVersion(t *testing.T) {
	for uri, want := range map[string]string{
		"pkg:golang/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64":   "go1.26.8",
		"pkg:golang/golang.org/toolchain@v0.0.1-go1.27rc1.darwin-arm64": "go1.27rc1",
		"pkg:golang/golang.org/toolchain@v0.0.1-":                       "",
		"pkg:golang/golang.org/x/mod@v0.30.0":                           "",
	} {
		if got := (provenance.Dependency{URI: uri}).GoVersion(); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}
