package bundletest

import "testing"

var kept, piece []byte

// TestPeak counts what is in use at once, and not what was used before.
func TestPeak(t *testing.T) {
	const size = 64 << 20
	garbage := func() {
		for range 1024 {
			piece = make([]byte, 1<<20)
		}
	}
	// What is allocated while the collector marks counts as alive: on a busy machine more than
	// this, but not each time.
	used := Peak(garbage)
	for range 9 {
		if used > size/4 {
			used = Peak(garbage)
		}
	}
	if used > size/4 {
		t.Errorf("%d MiB are in use where there is garbage", used>>20)
	}
	holding := func() {
		kept = make([]byte, size)
		garbage()
		kept = nil
	}
	if used := Peak(holding); used < size || used > 8*size {
		t.Errorf("%d MiB are in use where %d are held", used>>20, size>>20)
	}
}
