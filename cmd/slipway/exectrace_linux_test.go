package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// started is a program that a traced command has started.
type started struct{ file, line string }

// traceExec runs a command and returns every program that it and its children start, itself left
// out, with what they print.
func traceExec(dir string, env []string, args ...string) (programs []started, out string, err error) {
	runtime.LockOSThread() // a tracee belongs to a thread
	defer runtime.UnlockOSThread()
	var text bytes.Buffer
	read, write, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer read.Close()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		text.ReadFrom(read) //nolint:errcheck // it ends with the command
	}()
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, "", errors.Join(err, write.Close())
	}
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{0, write.Fd(), write.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, Setsid: true},
	})
	write.Close()
	if err != nil {
		return nil, "", err
	}
	programs, err = follow(pid)
	<-copied
	return programs, text.String(), err
}

// follow lets a traced process and its children run until all have ended.
func follow(pid int) (programs []started, err error) {
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, 0, nil); err != nil {
		return nil, err
	}
	const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return nil, err
	}
	if err := syscall.PtraceCont(pid, 0); err != nil {
		return nil, err
	}
	known := map[int]bool{pid: true}
	for {
		// Only children of this thread: those of other tests are waited for elsewhere.
		who, err := syscall.Wait4(-1, &ws, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil: // there are no more
			return programs, nil //nolint:nilerr // that is the end
		case ws.Exited() || ws.Signaled():
			continue
		}
		deliver := 0
		switch sig, event := ws.StopSignal(), ws.TrapCause(); {
		case sig == syscall.SIGTRAP && event == unix.PTRACE_EVENT_EXEC:
			file, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", who))
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", who))
			programs = append(programs,
				started{file, strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " ")})
		case sig == syscall.SIGTRAP && event > 0: // a new thread or process
		case sig == syscall.SIGSTOP && !known[who]: // how a new thread begins
		default:
			deliver = int(sig)
		}
		known[who] = true
		syscall.PtraceCont(who, deliver) //nolint:errcheck // it may have been killed
	}
}
