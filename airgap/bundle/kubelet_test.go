package bundle_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// TestWriteKubelet: every repository of an image once, in order, without tag, and no chart.
func TestWriteKubelet(t *testing.T) {
	c := bundle.Contents{Product: "demo", Version: "1.2.3", Images: []bundle.Image{
		{Name: "r.io:5000/b:1"},
		{Name: "docker.io/library/pause:3.9"},
		{Name: "r.io:5000/b:2"},
		{Name: "r.io:5000/charts/c:2", Chart: true},
	}}
	var b strings.Builder
	if err := c.WriteKubelet(&b); err != nil {
		t.Fatal(err)
	}
	want := `imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages
preloadedImagesVerificationAllowlist:
- "docker.io/library/pause"
- "r.io:5000/b"
`
	if !strings.HasSuffix(b.String(), want) || !strings.HasPrefix(b.String(), "# The images of demo 1.2.3 that") {
		t.Errorf("got\n%s\nwant at its end\n%s", b.String(), want)
	}
}
