package airgap_test

import (
	"fmt"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestMemoryCurve packs 1 to 200 images: how much heap that takes does not depend on their number.
func TestMemoryCurve(t *testing.T) {
	extent.Long(t, "measures the memory of packing more and more images")
	st, l := bundletest.Demo(t, 100)
	l.Images, l.ThirdParty = nil, nil
	curve := map[int]int64{}
	for n := range 200 {
		name := fmt.Sprintf("image-%03d", n)
		i := storetest.Index(t, st, name, storetest.Child{
			Platform: bundletest.Parse(t, "linux/amd64"),
			Layers:   []v1.Layer{storetest.Layer(t, name, name, curveLayer)},
		})
		i.Repository = "slipway.local/demo/" + name
		l.Images = append(l.Images, i)
		switch n + 1 {
		case 1, 10, 50, 200:
			curve[n+1] = bundletest.Peak(func() { bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[0]) })
			t.Logf("%3d images: %d MiB of heap", n+1, curve[n+1]>>20)
		}
	}
	// What is known of an image, its manifest and its place in the lists, takes some kB. The
	// compressor of a core, of up to 48 MiB, is found alive or not.
	if limit := max(curve[1], curve[10], curve[50]) + 64<<20; curve[200] > limit {
		t.Errorf("packing 200 images takes %d MiB of heap, 50 take %d", curve[200]>>20, curve[50]>>20)
	}
}
