package bundle_test

import (
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestMemory packs one large layer, stored and compressed, in both forms, and verifies them, and
// watches the heap: no blob is ever in it.
func TestMemory(t *testing.T) {
	extent.Long(t, "measures the memory of bundles of large layers")
	const size = bigLayer
	for _, c := range []struct{ name, magic string }{{"stored", "\x1f\x8b"}, {"compressed", "\x00\x00"}} {
		t.Run(c.name, func(t *testing.T) {
			st, l := bundletest.Demo(t, 100)
			bundletest.Add(t, st, l, "big", bundletest.NewBig(t, c.magic, size))

			var f bundle.File
			used := bundletest.Peak(func() {
				f = bundletest.PackTwins(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
			})
			t.Logf("peak heap of packing %d MiB: %d MiB", size>>20, used>>20)
			if limit := int64(128+48*seekable.Cores) << 20; used > limit {
				t.Errorf("packing took %d MiB of heap, want at most %d", used>>20, limit>>20)
			}
			for _, path := range []string{
				f.Path, f.Gzip.Path, bundletest.Recompress(t, f.Path, t.TempDir()+"/again.tar.zst"),
			} {
				used := bundletest.Peak(func() {
					if r := bundletest.Verify(t, path, bundle.VerifyOptions{}); len(r.Problems) > 0 {
						t.Error(r.Problems)
					}
				})
				t.Logf("peak heap of verifying it: %d MiB", used>>20)
				// a window of 8 MiB for each frame under way
				if limit := int64(64+8*seekable.Cores) << 20; used > limit {
					t.Errorf("verifying took %d MiB of heap, want at most %d", used>>20, limit>>20)
				}
			}
		})
	}
}
