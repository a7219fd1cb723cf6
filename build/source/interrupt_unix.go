//go:build unix

package source

import (
	"os/exec"
	"syscall"
)

// interruptible puts cmd into a process group of its own, so that what it starts (compilers, linkers) is interrupted with it.
func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
