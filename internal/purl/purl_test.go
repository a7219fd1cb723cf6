package purl_test

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/purl"
)

// TestWrite compares with examples of the specification, and with names that need encoding.
func TestWrite(t *testing.T) {
	for want, got := range map[string]string{
		"pkg:oci/debian@sha256%3A244fd47e07d10?arch=amd64&repository_url=docker.io/library/debian&tag=latest": purl.OCI(
			"docker.io/library/debian", "sha256:244fd47e07d10",
			map[string]string{"arch": "amd64", "tag": "latest", "os.version": ""}),
		"pkg:oci/app?repository_url=127.0.0.1%3A5000/app": purl.OCI("127.0.0.1:5000/app", "", nil),
		"pkg:golang/github.com/burntsushi/toml@v1.2.0":    purl.Go("github.com/BurntSushi/toml", "v1.2.0"),
		"pkg:golang/github.com/docker/docker@v28.5.2%2Bincompatible": purl.Go("github.com/docker/docker",
			"v28.5.2+incompatible"),
		"pkg:golang/stdlib@1.26.8": purl.Go("stdlib", "1.26.8"),
		"pkg:oci/alpine?repository_url=docker.io/library/alpine": purl.OCI("index.docker.io/library/alpine",
			"", nil),
		"pkg:golang/example.com":                           purl.Go("example.com", ""),
		"pkg:generic/a%20b%23.exe@1?checksum=sha256%3Aabc": purl.Generic("a b#.exe", "1", "sha256:abc"),
		"pkg:deb/debian/libgmp10@2%3A6.2.1%2Bdfsg1-1.1?arch=amd64&distro=debian-12&upstream=gmp": purl.Deb("debian",
			"libgmp10", "2:6.2.1+dfsg1-1.1",
			map[string]string{"arch": "amd64", "distro": "debian-12", "upstream": "gmp", "download_url": ""}),
		"pkg:deb/debian/a@1~rc1": purl.Deb("", "a", "1~rc1", nil),
		"pkg:helm/demo@1.0.0%2Bx?repository_url=ghcr.io/charts/demo": purl.Helm("demo", "1.0.0+x",
			"ghcr.io/charts/demo"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
