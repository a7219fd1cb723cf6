//go:build linux

package sandbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/slipway-dev/slipway/internal/sandbox"
)

// trialName makes the test's program one that makes a box, on a machine that permits less, and
// attacks in it.
const trialName = "trial"

// trial is an attack in a box.
type trial struct {
	Attack attack
	Mode   sandbox.Mode
	Forbid []string // "namespaces", "landlock"
	Dir    string   // for the box and results
}

// outcome is what the attack in a trial could do.
type outcome struct {
	Protection sandbox.Protection
	Text       string // of the protection
	Done       []string
	Said       string // by the attack
	Err        string
}

// run returns the outcome as JSON.
func (d trial) run() string {
	runtime.LockOSThread() // the filter is that of a thread, and of all that it starts
	if len(d.Forbid) > 0 {
		forbid(d.Forbid)
	}
	var o outcome
	b, err := sandbox.New(context.Background(), sandbox.Options{
		Mode: d.Mode, Read: []string{d.Attack.Tree}, Dir: d.Dir,
		Cache: filepath.Join(d.Dir, "cache"), Programs: true,
	})
	if err != nil {
		o.Err = err.Error()
	} else {
		o.Protection, o.Text = b.Protection(), b.Protection().String()
	}
	if b.On() {
		o.attack(b, d)
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (o *outcome) attack(b *sandbox.Box, d trial) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(d.Attack)
	if err != nil {
		panic(err)
	}
	temp := filepath.Join(d.Dir, "temp")
	if err := os.Mkdir(temp, 0o755); err != nil {
		panic(err)
	}
	cmd := b.Command(context.Background(), sandbox.Run{
		Program: []string{exe, attackName, string(text)}, Env: []string{
			"PATH=/none", "TMPDIR=" + temp,
			"PATH=/usr/bin:/bin",
		}, Dir: d.Attack.Tree, Read: []string{filepath.Dir(exe)}, Write: []string{temp},
	})
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		o.Err = err.Error()
	}
	o.Done, o.Said = strings.Split(strings.TrimSpace(string(out)), "\n"), said.String()
}

// forbid denies the thread, and what it starts, what containers often do: namespaces, as the
// profiles of container engines do, and Landlock, as a kernel without it.
func forbid(what []string) {
	errno := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	code := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}
	jump := func(number uint32, to uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jf: to}
	}
	answer := func(with uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
	}
	for _, w := range what {
		switch w {
		case "nothing":
		case "landlock":
			code = append(code, jump(unix.SYS_LANDLOCK_CREATE_RULESET, 1), answer(errno(unix.ENOSYS)))
		case "namespaces":
			code = append(
				code, jump(unix.SYS_UNSHARE, 1), answer(errno(unix.EPERM)), jump(unix.SYS_CLONE3, 1),
				answer(errno(unix.ENOSYS)),
				jump(unix.SYS_CLONE, 4),
				unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16}, // its flags
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER, Jf: 1},
				answer(errno(unix.EPERM)), answer(unix.SECCOMP_RET_ALLOW),
			)
		default:
			panic(w)
		}
	}
	code = append(code, answer(unix.SECCOMP_RET_ALLOW))
	p := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	// all threads: the runtime starts programs from any
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&p))); errno != 0 {
		panic(errno)
	}
}
