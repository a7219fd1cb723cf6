package program

import "golang.org/x/sys/unix"

// memory returns how many bytes of memory there are for this process and its children.
func memory() uint64 {
	var i unix.Sysinfo_t
	if unix.Sysinfo(&i) != nil {
		return 0
	}
	return bounded(uint64(i.Totalram)*uint64(i.Unit), limit) //nolint:unconvert // on 32-bit systems it is needed
}
