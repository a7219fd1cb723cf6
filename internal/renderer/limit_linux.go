package renderer

import "syscall"

// limitData bounds the memory that the process may write to, so that one allocation that exceeds
// the bound fails before it happens. The race detector needs more than any bound.
func limitData(most int64) {
	if !race {
		syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: uint64(most), Max: uint64(most)}) //nolint:errcheck // the watchdog remains
	}
}
