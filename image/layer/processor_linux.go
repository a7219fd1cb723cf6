package layer

import "golang.org/x/sys/unix"

// processor returns the seconds that this process took of all processors, without its children.
func processor() float64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
