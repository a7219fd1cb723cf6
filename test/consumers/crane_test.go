package consumers

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

// TestCrane takes images out of bundles with the command that operators have, pushes them from
// there with crane, and asks crane what arrived. crane push takes a layout of one entry, hence
// without the referrers of the image. A bundle for all platforms gives complete indexes, one for
// a platform gives its manifests where an index has more.
func TestCrane(t *testing.T) {
	t.Parallel()
	crane := testprog.Built(t, "crane", "crane")
	slipway, err := testprog.Slipway(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	version := module(t, "crane", programs, "github.com/google/go-containerregistry")
	server := httptest.NewServer(registrytest.Handler())
	t.Cleanup(server.Close)
	each(t, func(t *testing.T, r release, b packedBundle) {
		if !r.demo && (b.platform.IsZero() || b.platform.OS != platform.Linux) {
			return // the small one says as much
		}
		var s sight
		to := strings.TrimPrefix(server.URL, "http://") + "/" + b.label()
		for _, i := range r.images(t, b) {
			dir := filepath.Join(t.TempDir(), "layout")
			testprog.Run(t, slipway, "airgap", "extract", b.path, i.name, "-o="+dir, "-without-referrers",
				"-q")
			_, path, _ := strings.Cut(i.name, "/")
			tagged := to + "/" + path
			testprog.Run(t, crane, "push", "--insecure", dir, tagged)
			want := i.digest.String()
			if child, ok := i.child(t, b.target()); ok && !b.platform.IsZero() && len(i.children) > 1 {
				want = child.Digest.String()
			}
			got := strings.TrimSpace(testprog.Run(t, crane, "digest", "--insecure", tagged))
			if i.children == nil && !b.platform.IsZero() {
				continue // the lock does not name the manifest
			}
			if got != want {
				t.Errorf("%s arrived with the digest %s, want %s", i.name, got, want)
			}
			testprog.Run(t, crane, "validate", "--insecure", "--fast", "--remote", tagged)
			s.name(t, i,
				b.target(),
				got,
				strings.TrimSpace(testprog.Run(t, crane, "digest", "--insecure",
					tagged[:strings.LastIndex(tagged, ":")]+"@"+want)))
			for _, c := range i.children {
				if b.platform.IsZero() || platform.Same(c.Platform, b.platform) {
					s.has(c.Platform.String())
				}
			}
		}
		s.record(t, version, "slipway airgap extract BUNDLE IMAGE -o=DIR -without-referrers; crane push DIR …",
			r, b)
	})
}
