package doctor

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
)

// TestArchives asks repositories that answer, that do not, and that have a mirror which does.
func TestArchives(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/debian/dists/bookworm/InRelease" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	repository := func(path, suite string) product.LockedPackage {
		return product.LockedPackage{Repository: product.LockedRepository{URL: s.URL + path, Suite: suite}}
	}
	p := &product.Product{LockedPackages: []product.LockedPackages{{Packages: []product.LockedPackage{
		repository("/debian", "bookworm"), repository("/debian", "bookworm"), repository("/debian", "trixie"),
		repository("/moved", "bookworm"),
		{Action: product.ActionRemove},
	}}}}
	p.Packages.Mirrors = []product.Mirror{{For: s.URL + "/moved", URL: s.URL + "/debian"}}
	e := &examination{product: p, client: network.New(network.Options{Attempts: 1})}
	f := findings{check: "packages"}
	e.archives(t.Context(), &f)
	const missing = "/InRelease answers 404 Not Found"
	want := []Finding{
		{"packages", true, s.URL + "/debian bookworm: it answers"},
		{
			"packages", false, s.URL + "/debian trixie: " + s.URL + "/debian/dists/trixie" + missing +
				": correct the network or its proxy, or name a mirror under packages.mirrors",
		},
		{
			"packages", true, s.URL + "/moved bookworm: its mirror " + s.URL + "/debian answers; " +
				s.URL + "/moved/dists/bookworm" + missing,
		},
	}
	if d := cmp.Diff(want, f.list); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
