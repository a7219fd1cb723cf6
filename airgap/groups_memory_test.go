package airgap_test

import (
	"fmt"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestMemoryGroups packs 500 and 1,000 images in ten groups, nine of which lack what the first has:
// how much heap that takes does not depend on their number.
func TestMemoryGroups(t *testing.T) {
	extent.Long(t, "measures the memory of packing a thousand images")
	st, l := bundletest.Demo(t, 100)
	l.Images, l.ThirdParty = nil, nil
	on := bundletest.Parse(t, "linux/amd64")
	targets := []airgap.Target{{Name: "all", Platform: on}, {Name: "group-0", Platform: on, Groups: []string{"group-0"}}}
	for n := 1; n < 10; n++ {
		name := fmt.Sprintf("group-%d", n)
		targets = append(targets, airgap.Target{Name: name, Platform: on, Groups: []string{name}, Base: "group-0"})
	}
	shared := storetest.Layer(t, "shared", "shared", groupLayer)
	curve := map[int]int64{}
	for n := range 1000 {
		name := fmt.Sprintf("image-%04d", n)
		i := storetest.Index(t, st, name, storetest.Child{
			Platform: on, Layers: []v1.Layer{shared, storetest.Layer(t, name, name, groupLayer)},
		})
		i.Repository, i.Groups = "slipway.local/demo/"+name, []string{fmt.Sprintf("group-%d", n%10)}
		l.Images = append(l.Images, i)
		if n+1 == 500 || n+1 == 1000 {
			curve[n+1] = bundletest.Peak(func() {
				for _, f := range bundletest.Pack(t, st, l, t.TempDir(), targets...)[2:] {
					if f.Contents.Needs == nil {
						t.Errorf("%s is complete", f.Path)
					}
				}
			})
			t.Logf("%4d images: %d MiB of heap", n+1, curve[n+1]>>20)
		}
	}
	// the compressor of a core is found alive or not
	if limit := curve[500] + 48<<20; curve[1000] > limit {
		t.Errorf("packing 1000 images takes %d MiB of heap, 500 take %d", curve[1000]>>20, curve[500]>>20)
	}
}

// groupLayer is the size of layers: those of 500 images have 80 MiB, more than the limit leaves.
const groupLayer = 160 << 10
