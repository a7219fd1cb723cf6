package product_test

import (
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/product"
)

// TestUsed loads products in which everything is used: by FROM, by COPY --from, by
// templates and by artifacts.
func TestUsed(t *testing.T) {
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SLIPWAY_VERSION", "")
	for _, dir := range []string{"..", "../examples/hello", "../examples/csi-driver-smb", "../examples/rke2"} {
		p, err := product.Load(t.Context(), product.Options{
			Path: filepath.Join(dir, "slipway.yaml"), Bases: true, // of those that are not pinned, too
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range p.Unused {
			t.Errorf("%s: nothing uses %s %s", u.Pos, u.Kind, u.Name)
		}
	}
}
