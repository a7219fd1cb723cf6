package deflate

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// measured calls do and returns how many seconds of a processor it took.
func measured(do func()) float64 {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	begin := threadTime()
	do()
	return threadTime() - begin
}

func threadTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return float64(t.Nano()) / 1e9
}
