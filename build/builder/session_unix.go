//go:build unix

package builder

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own: it has no terminal to ask for a password on, which
// it would open by its name. A session is a process group, too, which ends with its context.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killedBy returns the name of the signal that ended a program, or "".
func killedBy(exit *exec.ExitError) string {
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return s.Signal().String()
	}
	return ""
}
