//go:build mage

package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"golang.org/x/sys/unix"
)

// scratch lets tests have their temporary files in memory, where the user's settings do not say
// otherwise and the machine has 12 GB for them: the tests write some gigabytes of small files.
// The result removes them.
func scratch() (remove func(), err error) {
	const shared = "/dev/shm"
	var fs unix.Statfs_t
	usable := unix.Access(shared, unix.W_OK) == nil && unix.Statfs(shared, &fs) == nil &&
		fs.Flags&unix.ST_NOEXEC == 0 && int64(fs.Bavail)*fs.Bsize > 8<<30
	if os.Getenv("TMPDIR") != "" || !usable || available() < 12e6 {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp(shared, "slipway-test-")
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return nil, err
	}
	return func() {
		if err := errors.Join(os.Unsetenv("TMPDIR"), os.RemoveAll(dir)); err != nil {
			fmt.Fprintf(os.Stderr, "removing %s: %v\n", dir, err)
		}
	}, nil
}

// available returns the kilobytes of memory that programs can still have; 0 if it is not known.
func available() int {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`MemAvailable:\s*(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 0
	}
	return n
}
