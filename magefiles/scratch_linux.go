//go:build mage

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"golang.org/x/sys/unix"
)

// scratch lets tests have their temporary files in memory, where the user's settings do not say
// otherwise and the machine has 12 GB for them: the tests write some gigabytes of small files.
// The result removes them.
func scratch() (remove func(), err error) {
	const shared = "/dev/shm"
	var free unix.Statfs_t
	usable := unix.Access(shared, unix.W_OK) == nil && unix.Statfs(shared, &free) == nil &&
		free.Flags&unix.ST_NOEXEC == 0 && int64(free.Bavail)*free.Bsize > 8<<30
	if os.Getenv("TMPDIR") != "" || !usable || available() < 12e6 {
		return func() {}, nil
	}
	dir := fmt.Sprintf("%s/slipway-test-%d", shared, os.Getuid())
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	if unlock == nil {
		if dir, err = os.MkdirTemp(shared, "slipway-test-"); err != nil {
			return nil, err
		}
		unlock = func() error { return nil }
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return nil, err
	}
	return func() {
		if err := errors.Join(os.Unsetenv("TMPDIR"), os.RemoveAll(dir), unlock()); err != nil {
			fmt.Fprintf(os.Stderr, "removing %s: %v\n", dir, err)
		}
	}, nil
}

// lock empties a directory that always has the same name, since the results of tests whose
// variables have changed are not taken from Go's test cache. The result is nil while another run
// has the directory, or if it is another user's.
func lock(dir string) (unlock func() error, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, nil //nolint:nilerr // another user's, or a link
	}
	var opened, there unix.Stat_t
	if err := errors.Join(unix.Fstat(int(f.Fd()), &opened), unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB),
		unix.Lstat(dir, &there)); err != nil || opened.Ino != there.Ino || int(opened.Uid) != os.Getuid() {
		return nil, f.Close()
	}
	left, err := os.ReadDir(dir) // of a run that was killed
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for _, e := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
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
