package product_test

import (
	"testing"

	"github.com/slipway-dev/slipway/product"
)

func TestIndex(t *testing.T) {
	for _, tc := range [][3]string{
		{"http://deb.debian.org/debian", "bookworm", "http://deb.debian.org/debian/dists/bookworm/InRelease"},
		{
			"http://deb.debian.org/debian-security/", "bookworm-security",
			"http://deb.debian.org/debian-security/dists/bookworm-security/InRelease",
		},
		{"https://example.com/apt", "./", "https://example.com/apt/InRelease"},
		{"https://example.com/apt/", "/", "https://example.com/apt/InRelease"},
		{"https://example.com/apt", "deb/", "https://example.com/apt/deb/InRelease"},
	} {
		if got := (product.LockedRepository{URL: tc[0], Suite: tc[1]}).Index(); got != tc[2] {
			t.Errorf("%s %s: %s, want %s", tc[0], tc[1], got, tc[2])
		}
	}
	p := product.LockedPackage{Path: "pool/a.deb", Repository: product.LockedRepository{URL: "http://x/debian/"}}
	if got := p.URL(); got != "http://x/debian/pool/a.deb" {
		t.Errorf("the package is at %s", got)
	}
	p.Repository.URL = ""
	if got := p.URL(); got != "" {
		t.Errorf("a file of the stage is at %s", got)
	}
}
