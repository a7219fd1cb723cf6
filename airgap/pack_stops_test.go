package airgap_test

import (
	"os"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestDamagedStore: a blob that has changed on disk does not get into a bundle, and no file
// appears.
func TestDamagedStore(t *testing.T) {
	st, l := bundletest.Demo(t, 100_000)
	i, err := st.Image(l.Images[1].Children[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	path := st.Path(m.Layers[0].Digest)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, _, err = airgap.Pack(t.Context(), st, l, bundletest.Targets(t)[5:], airgap.PackOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "is damaged: "+path) {
		t.Errorf("error %v", err)
	}
	bundletest.Empty(t, dir)
}
