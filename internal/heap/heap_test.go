package heap_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/heap"
)

func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 3100, 1 << 20: 3100, 4 << 20: 700, 16 << 20: 100, 24 << 20: 100, 1 << 30: 100} {
		if got := heap.Percent(live); got != want {
			t.Errorf("with %d live bytes the heap grows by %d percent, want %d", live, got, want)
		}
	}
}

// TestCollections counts the collections of a process that allocates 200 MiB and keeps two of them,
// and of the same one with Go's default.
func TestCollections(t *testing.T) {
	const variable = "SLIPWAY_TEST_ALLOCATES"
	if os.Getenv(variable) != "" {
		var kept [][]byte
		for n := range 3200 {
			b := make([]byte, 64<<10)
			if n < 32 {
				kept = append(kept, b)
			}
		}
		runtime.KeepAlive(kept)
		return
	}
	count := func(gogc string) int {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCollections$")
		cmd.Env = append(os.Environ(), "GOGC="+gogc, "GODEBUG=gctrace=1", variable+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Count("\n"+string(out), "\ngc ")
	}
	if own, go1 := count(""), count("100"); own == 0 || 4*own > 3*go1 {
		t.Errorf("a process with a small heap collects %d times, and %d times by default", own, go1)
	}
}
