package airgap_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushDelta pushes a delta to a registry that has its base, to one that has not, and together
// with the base.
func TestPushDelta(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 20_000)
	n := bundletest.Later(t, st, l)
	// a layer that is not compressed, which validate cannot read
	n.Images = n.Images[:len(n.Images)-1]
	dir := t.TempDir()
	all := bundletest.Targets(t)
	old := bundletest.Pack(t, st, l, filepath.Join(dir, "old"), all...)[5].Path
	files, err := airgap.PackDelta(t.Context(), st, n, all, []string{old},
		airgap.PackOptions{Dir: filepath.Join(dir, "new")})
	if err != nil {
		t.Fatal(err)
	}
	delta, err := bundle.OpenAny(files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer delta.Close()
	base, r := bundletest.Opened(t, old), registrytest.Serve(t)

	o := bundletest.To(r)
	o.Registry.Jobs = 1 // the largest blob first, which the delta has
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{delta}, o)
	bundletest.Says(t, err, "the registry does not have it", filepath.Base(old), "version 1.2.3", "push that first")
	if strings.Contains(err.Error(), "together") { // which a key does not allow
		t.Errorf("the advice is %v", err)
	}
	calls, sent := r.Reset()
	if sent != 0 || registrytest.Count(calls, "PUT", "") != 0 {
		t.Errorf("%d bytes were sent, with %v", sent, calls)
	}

	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{base}, bundletest.To(r)); err != nil {
		t.Fatal(err)
	}
	_, whole := r.Reset()
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{delta}, bundletest.To(r))
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
	if _, sent := r.Reset(); sent == 0 || sent > whole/2 {
		t.Errorf("%d bytes were sent for the delta, %d for the base", sent, whole)
	}

	r = registrytest.Serve(t)
	if p, err = airgap.Push(t.Context(), []*bundle.Bundle{delta, base}, bundletest.To(r)); err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
}
