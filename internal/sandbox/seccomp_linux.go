//go:build amd64 || arm64

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hasSeccomp reports whether the filter knows the system calls of this architecture.
const hasSeccomp = true

// denied are system calls that compilers do without. The kernel answers that they are not
// permitted.
var denied = []uint32{
	// A socket reaches others by addresses, and by paths that Landlock does not check: an SSH
	// agent, docker.sock. io_uring makes sockets, too.
	unix.SYS_SOCKET, unix.SYS_IO_URING_SETUP,
	// other processes, and keys that the user's session has
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	// much code of the kernel that users may call
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT, unix.SYS_MOVE_MOUNT,
}

// The offsets of struct seccomp_data, and the numbers of system calls that another ABI of amd64
// has (x32).
const (
	offsetNumber = 0
	offsetArch   = 4
	x32          = 0x40000000
)

// filter denies system calls to the thread and to all that it runs.
func filter() error { return install(program(denied)) }

// program is a filter that denies system calls, and all of other architectures.
func program(denied []uint32) []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	answer := func(with uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
	}
	eperm := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	code := []unix.SockFilter{
		load(offsetArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1},
		answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetNumber),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jf: 1},
		eperm,
	}
	for _, number := range denied {
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jf: 1}, eperm)
	}
	return append(code, answer(unix.SECCOMP_RET_ALLOW))
}

func install(code []unix.SockFilter) error {
	p := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&p)), 0, 0)
}
