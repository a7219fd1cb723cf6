package bundletest

import (
	"runtime"
	"runtime/debug"
	"testing"
)

var kept, piece []byte

// TestPeak counts what is in use at once, and not what was used before or is garbage. What is
// allocated while the collector marks counts as alive, so here it marks when told to.
func TestPeak(t *testing.T) {
	const size = 64 << 20
	garbage := func() {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		for range 2 * size >> 20 {
			piece = make([]byte, 1<<20)
		}
		runtime.GC()
	}
	if used := Peak(garbage); used > size/4 {
		t.Errorf("%d MiB are in use where there is garbage", used>>20)
	}
	holding := func() {
		kept = make([]byte, size)
		garbage()
		kept = nil
	}
	if used := Peak(holding); used < size || used > size+size/4 {
		t.Errorf("%d MiB are in use where %d are held", used>>20, size>>20)
	}
}
