package heap_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/heap"
)

func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 3100, 1 << 20: 3100, 4 << 20: 700, 16 << 20: 100, 24 << 20: 100, 1 << 30: 100} {
		if got := heap.Percent(live); got != want {
			t.Errorf("with %d live bytes the heap grows by %d percent, want %d", live, got, want)
		}
	}
}

// TestCollections: a process that keeps 2 MiB allocates 16 MiB more without a collection, and the
// same one with Go's default is collected. It counts what is in no hurry: on a busy machine few
// collections end.
func TestCollections(t *testing.T) {
	const variable = "SLIPWAY_TEST_ALLOCATES"
	if gogc := os.Getenv(variable); gogc != "" {
		time.AfterFunc(time.Minute, func() { panic("waited for a minute") })
		kept := allocate(2 << 20)
		runtime.GC()
		for gogc == "own" && metric("/gc/heap/goal:bytes") < heap.Least*9/10 { // what adjusts it runs after the collection
			time.Sleep(time.Millisecond)
		}
		const collections = "/gc/cycles/total:gc-cycles"
		before := metric(collections)
		kept = append(kept, allocate(16<<20)...)
		for gogc != "own" && metric(collections) == before {
			time.Sleep(time.Millisecond)
		}
		runtime.KeepAlive(kept)
		fmt.Printf("%d more\n", metric(collections)-before)
		return
	}
	for gogc, want := range map[string]string{"own": "\n0 more\n", "100": "\n[1-9][0-9]* more\n"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCollections$")
		cmd.Env = append(os.Environ(), "GOGC="+strings.TrimPrefix(gogc, "own"), variable+"="+gogc)
		out, err := cmd.CombinedOutput()
		if err != nil || !regexp.MustCompile(want).MatchString("\n"+string(out)) {
			t.Errorf("with GOGC %s: %v\n%s", gogc, err, out)
		}
	}
}

func allocate(bytes int) (all [][]byte) {
	for range bytes >> 16 {
		all = append(all, make([]byte, 1<<16))
	}
	return all
}

func metric(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
