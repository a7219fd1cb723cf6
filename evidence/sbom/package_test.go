package sbom_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

// TestSyftForms compares the URLs of packages with those that syft gives to the same entries of
// dpkg's database, by which scanners look packages up.
func TestSyftForms(t *testing.T) {
	for want, p := range map[string]lock.Package{
		"pkg:deb/debian/bsdutils@1%3A2.38.1-5%2Bdeb12u3?arch=amd64&distro=debian-12" +
			"&upstream=util-linux%402.38.1-5%2Bdeb12u3": {
			Name: "bsdutils", Version: "1:2.38.1-5+deb12u3", Architecture: "amd64",
			Source: "util-linux", SourceVersion: "2.38.1-5+deb12u3", Distribution: "debian", Release: "12",
		},
		"pkg:deb/debian/libssl3@3.0.11-1~deb12u2?arch=arm64&distro=debian-12&upstream=openssl": {
			Name: "libssl3", Version: "3.0.11-1~deb12u2", Architecture: "arm64", Source: "openssl",
			Distribution: "debian", Release: "12",
		},
		"pkg:deb/debian/libacl1@2.3.1-3?arch=all": {
			Name: "libacl1", Version: "2.3.1-3", Architecture: "all", Distribution: "debian", Codename: "sid",
		},
		"pkg:deb/ubuntu/libstdc%2B%2B6@13.2.0-23ubuntu4?arch=amd64&distro=ubuntu-24.04&upstream=gcc-14": {
			Name: "libstdc++6", Version: "13.2.0-23ubuntu4", Architecture: "amd64", Source: "gcc-14",
			Distribution: "ubuntu", Release: "24.04",
		},
	} {
		p.Type = lock.PackageDeb
		l := &lock.Lock{Images: []lock.Image{image(10, "a", child(11, linux, nil))}}
		v := &lock.Inventory{
			Contents: []lock.Content{{Digest: storetest.MadeUpDigest(11), Packages: []lock.Package{p}}},
		}
		b, err := sbom.SPDX(l, v, "a")
		if err != nil {
			t.Fatal(err)
		}
		if quoted := `"` + want + `"`; !strings.Contains(string(b), quoted) {
			t.Errorf("the document lacks %s:\n%s", quoted, b)
		}
	}
}
