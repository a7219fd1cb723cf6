package renderer

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"github.com/slipway-dev/slipway/internal/regular"
)

// limitMemory bounds the address space that the process may still take, so that an allocation that
// exceeds the bound fails before it happens. A bound on its data (RLIMIT_DATA) does not count what
// the Go runtime maps over a reservation. The race detector needs more than any bound.
func limitMemory(most int64) {
	text, err := regular.ReadMost("/proc/self/statm", 4<<10)
	first, _, _ := bytes.Cut(text, []byte(" "))
	pages, err2 := strconv.ParseInt(string(first), 10, 64)
	if race || err != nil || err2 != nil {
		return // the watchdog remains
	}
	limit := uint64(pages*int64(os.Getpagesize()) + most)
	syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}) //nolint:errcheck // the watchdog remains
}
