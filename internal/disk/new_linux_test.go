//go:build amd64

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNewWithoutLinks makes files where the kernel makes no hard links, as on FAT.
func TestNewWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and the thread ends with the goroutine
		done <- func() error {
			if err := denyLinks(); err != nil {
				return err
			}
			if err := os.Link(other, dir+"/link"); !errors.Is(err, unix.EPERM) {
				t.Errorf("a hard link: %v", err)
			}
			path := filepath.Join(dir, "release.key")
			if err := New(path, []byte("first"), ModePrivate); err != nil {
				t.Error(err)
			}
			if err := New(path, []byte("second"), ModePrivate); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second one: %v", err)
			}
			return nil
		}()
	}()
	if err := <-done; err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "release.key"))
	if err != nil || string(text) != "first" {
		t.Errorf("the file has %q %v", text, err)
	}
	if fi, err := os.Stat(filepath.Join(dir, "release.key")); err != nil || fi.Mode().Perm() != ModePrivate {
		t.Errorf("the file: %v %v", fi, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("the directory has %v %v", all, err)
	}
}

// denyLinks lets link(2) and linkat(2) fail with EPERM in this thread.
func denyLinks() error {
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LINK, Jt: 1},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LINKAT, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0)
}
