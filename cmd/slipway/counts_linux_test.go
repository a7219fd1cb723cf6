package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// counts are what the kernel has counted for a process and its children (proc_pid_io(5)).
type counts struct{ read, written, reads, writes int }

// TestCounts bounds the bytes that commands read and write and how many calls that takes, where
// nothing has changed: 10 percent above what it was when this was written. The figures do not
// depend on how busy the machine is. Who needs more changes them here, and says why.
func TestCounts(t *testing.T) {
	if _, err := os.Stat("/proc/self/io"); err != nil {
		t.Skip("this kernel does not count what processes read and write")
	}
	dir := filepath.Join(t.TempDir(), "greet")
	if err := os.CopyFS(dir, os.DirFS("testdata/greet")); err != nil {
		t.Fatal(err)
	}
	release := []string{"release", "-q", "-binary=false"}
	// A release says which slipway made it, and reads this one, which was written just now.
	self, err := os.Stat(slipway(t))
	if err != nil {
		t.Fatal(err)
	}
	size := int(self.Size())
	for _, step := range []struct {
		name  string
		args  []string
		limit counts // zero: any
	}{
		{"the first check", []string{"check"}, counts{31_000, 522_000, 130, 40}},
		{"the first release", release, counts{}},
		{"a second release", release, counts{7_600_000 + size, 99_000, 760 + size>>15, 68}},
		{"a check", []string{"check"}, counts{22_000, 518_000, 96, 26}},
	} {
		got, err := count(t, dir, step.args...)
		if errors.Is(err, fs.ErrPermission) {
			t.Skip("only root reads what a process has counted that has ended")
		}
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		t.Logf("%s: %+v", step.name, got)
		l := step.limit
		if l != (counts{}) && (got.read > l.read || got.written > l.written || got.reads > l.reads || got.writes > l.writes) {
			t.Errorf("%s: %+v, at most %+v is expected", step.name, got, l)
		}
	}
}

// count runs slipway in a directory, and reads what the kernel has counted before it forgets the
// process.
func count(t *testing.T, dir string, args ...string) (c counts, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), slipway(t), args...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		return c, err
	}
	for {
		err = unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	text, readErr := os.ReadFile(fmt.Sprintf("/proc/%d/io", cmd.Process.Pid))
	if err := errors.Join(err, readErr, cmd.Wait()); err != nil {
		return c, err
	}
	for name, n := range map[string]*int{"rchar": &c.read, "wchar": &c.written, "syscr": &c.reads, "syscw": &c.writes} {
		m := regexp.MustCompile(`(?m)^` + name + `: (\d+)$`).FindSubmatch(text)
		if m == nil {
			return c, fmt.Errorf("no %s in %s", name, text)
		}
		if *n, err = strconv.Atoi(string(m[1])); err != nil {
			return c, err
		}
	}
	return c, nil
}
