//go:build linux && amd64

package torture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// strace counts system calls for each thread, and the threads of a Go program take turns at
// random. So this file is a tracer of its own: it counts the calls of all threads and processes
// of a command together, looks only at those on paths below one directory, and stops a process
// for no other call (by seccomp), which keeps a traced command fast.

// call is a system call that is about to happen.
type call struct {
	name string
	path string // what it changes: of a rename, the new name
	// writes marks an openat that may make or change a file.
	writes bool
}

func (c call) String() string { return c.name + " " + c.path }

// action is what the tracer does about a call; the zero value lets it happen.
type action struct {
	err  syscall.Errno  // the call fails with this and does nothing
	send syscall.Signal // to the command before the call happens; SIGKILL goes to all its processes
	only bool           // SIGKILL goes to the command and spares its children
	wait time.Duration  // the call happens that much later
}

// tracer decides about calls. n counts from 1.
type tracer struct {
	calls []string // names of argument
	under string   // only calls on paths below this directory
	on    func(n int, c call) action
	hits  []call // the calls for which there was an action
	n     int
}

// argument says which calls can be traced, and where their path is: the number of the argument
// that has it, or that of the file descriptor.
var argument = map[string]struct {
	nr       uint64
	path, fd int
	dir      int // the descriptor that a relative path begins at
}{
	"rename":          {unix.SYS_RENAME, 1, -1, -1},
	"renameat":        {unix.SYS_RENAMEAT, 3, -1, 2},
	"renameat2":       {unix.SYS_RENAMEAT2, 3, -1, 2},
	"linkat":          {unix.SYS_LINKAT, 3, -1, 2},
	"symlinkat":       {unix.SYS_SYMLINKAT, 2, -1, 1},
	"mkdirat":         {unix.SYS_MKDIRAT, 1, -1, 0},
	"mkdir":           {unix.SYS_MKDIR, 0, -1, -1},
	"unlinkat":        {unix.SYS_UNLINKAT, 1, -1, 0},
	"unlink":          {unix.SYS_UNLINK, 0, -1, -1},
	"rmdir":           {unix.SYS_RMDIR, 0, -1, -1},
	"openat":          {unix.SYS_OPENAT, 1, -1, 0},
	"fchmodat":        {unix.SYS_FCHMODAT, 1, -1, 0},
	"fsync":           {unix.SYS_FSYNC, -1, 0, -1},
	"fdatasync":       {unix.SYS_FDATASYNC, -1, 0, -1},
	"fchmod":          {unix.SYS_FCHMOD, -1, 0, -1},
	"ftruncate":       {unix.SYS_FTRUNCATE, -1, 0, -1},
	"write":           {unix.SYS_WRITE, -1, 0, -1},
	"pwrite64":        {unix.SYS_PWRITE64, -1, 0, -1},
	"read":            {unix.SYS_READ, -1, 0, -1},
	"pread64":         {unix.SYS_PREAD64, -1, 0, -1},
	"close":           {unix.SYS_CLOSE, -1, 0, -1},
	"copy_file_range": {unix.SYS_COPY_FILE_RANGE, -1, 2, -1},
}

// changing are the calls after which a directory is another one.
var changing = []string{
	"rename", "renameat", "renameat2", "linkat", "symlinkat", "mkdirat", "mkdir", "unlinkat", "unlink",
	"rmdir", "fsync", "fdatasync", "fchmod", "fchmodat", "ftruncate",
}

const launchVariable = "SLIPWAY_TORTURE_CALLS"

// launch makes this process stop for its tracer at the calls that the environment names, and
// becomes the command in its arguments. TestMain calls it where the variable is set.
func launch() {
	runtime.LockOSThread()
	// the number of the call
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}
	for _, name := range strings.Split(os.Getenv(launchVariable), ",") {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(argument[name].nr), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	os.Unsetenv(launchVariable) //nolint:errcheck // the name is a good one
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "launching:", err)
	os.Exit(3)
}

// run starts a command, traces it and all its children, and returns how the command ended, when
// all of them have ended. started gets the id of the process.
func (t *tracer) run(args []string, attr *syscall.ProcAttr,
	started func(pid int),
) (status syscall.WaitStatus, err error) {
	runtime.LockOSThread() // a tracee belongs to a thread
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	attr.Env = append(attr.Env, launchVariable+"="+strings.Join(t.calls, ","))
	attr.Sys = &syscall.SysProcAttr{Setsid: true, Ptrace: true}
	pid, err := syscall.ForkExec(self, append([]string{self}, args...), attr)
	if err != nil {
		return 0, err
	}
	started(pid)
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, 0, nil); err != nil {
		return 0, err
	}
	const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC |
		unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return 0, err
	}
	if err := syscall.PtraceCont(pid, 0); err != nil {
		return 0, err
	}
	known, live := map[int]bool{pid: true}, map[int]bool{pid: true}
	for len(live) > 0 {
		// Only children of this thread: those of other cases are waited for elsewhere.
		who, err := syscall.Wait4(-1, &ws, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil: // there are no more
			return status, nil
		case ws.Exited() || ws.Signaled():
			if who == pid {
				status = ws
			}
			delete(live, who)
			continue
		}
		deliver := 0
		switch sig, event := ws.StopSignal(), ws.TrapCause(); {
		case sig == syscall.SIGTRAP && event == unix.PTRACE_EVENT_SECCOMP:
			t.stopped(pid, who)
		// all threads but one are gone
		case sig == syscall.SIGTRAP && event == unix.PTRACE_EVENT_EXEC:
			if former, err := syscall.PtraceGetEventMsg(who); err == nil && int(former) != who {
				delete(live, int(former))
			}
		case sig == syscall.SIGTRAP && event > 0: // a new thread or process
			if id, err := syscall.PtraceGetEventMsg(who); err == nil {
				live[int(id)] = true
			}
		case sig == syscall.SIGSTOP && !known[who]: // how a new thread begins
		default:
			deliver = int(sig)
		}
		known[who] = true
		syscall.PtraceCont(who, deliver) //nolint:errcheck // it may have been killed
	}
	return status, nil
}

// stopped looks at the call that a thread is about to make.
func (t *tracer) stopped(command, tid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	c, ok := t.decode(tid, &regs)
	if !ok {
		return
	}
	t.n++
	a := t.on(t.n, c)
	if a != (action{}) && len(t.hits) < 1000 {
		t.hits = append(t.hits, c)
	}
	time.Sleep(a.wait)
	if a.err != 0 {
		regs.Orig_rax, regs.Rax = ^uint64(0), uint64(-int64(a.err))
		syscall.PtraceSetRegs(tid, &regs) //nolint:errcheck // it may have been killed
	}
	switch {
	case a.send == syscall.SIGKILL && !a.only:
		killSession(command)
	case a.send != 0:
		syscall.Kill(command, a.send) //nolint:errcheck // it may have ended
	}
}

// gos are the files that only the go command reads. It takes some errors for an answer, which is
// not slipway's doing.
var gos = regexp.MustCompile(`\.go$|/go-build\d+/`)

// decode finds the path of a call and reports whether it is one to look at.
func (t *tracer) decode(tid int, r *syscall.PtraceRegs) (call, bool) {
	args := []uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8}
	for _, name := range t.calls {
		a := argument[name]
		if a.nr != r.Orig_rax {
			continue
		}
		c := call{name: name, writes: r.Rdx&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT) != 0}
		if a.fd >= 0 {
			// of one that is closed: none
			c.path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(args[a.fd])))
		} else {
			c.path = text(tid, args[a.path])
			if !filepath.IsAbs(c.path) {
				at := fmt.Sprintf("/proc/%d/cwd", tid)
				if a.dir >= 0 && int32(args[a.dir]) != unix.AT_FDCWD {
					at = fmt.Sprintf("/proc/%d/fd/%d", tid, int32(args[a.dir]))
				}
				dir, _ := os.Readlink(at)
				c.path = filepath.Join(dir, c.path)
			}
		}
		return c, strings.HasPrefix(c.path, t.under+"/") && !gos.MatchString(c.path)
	}
	return call{}, false
}

// text reads a string of another process.
func text(pid int, at uint64) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer mem.Close()
	b := make([]byte, 4096)
	n, _ := mem.ReadAt(b, int64(at)) // the page after it may be missing
	s, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(s)
}

// session lists the processes of the session that pid leads.
func session(pid int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat") // of one that is over: nothing
		_, after, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(after); len(f) > 3 && f[3] == strconv.Itoa(pid) && f[0] != "Z" {
			pids = append(pids, id)
		}
	}
	return pids
}

// killSession kills all processes of a session.
func killSession(pid int) {
	for _, p := range session(pid) {
		syscall.Kill(p, syscall.SIGKILL) //nolint:errcheck // it may have ended
	}
}
