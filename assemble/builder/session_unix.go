//go:build unix

package builder

import (
	"os/exec"
	"syscall"
	"time"
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

// patient is how long a program that was hung up may take before it is interrupted.
const patient = 3 * time.Second

// hangUp lets a command be hung up where its context ends, before it is interrupted and killed:
// podman then ends the program of a RUN and removes its container. Interrupted, it leaves both.
// ended is called when the command has ended.
func hangUp(cmd *exec.Cmd) (ended func()) {
	interrupt, later := cmd.Cancel, (*time.Timer)(nil)
	cmd.Cancel = func() error {
		later = time.AfterFunc(patient, func() { interrupt() }) //nolint:errcheck // it may have ended
		return cmd.Process.Signal(syscall.SIGHUP)
	}
	return func() {
		if later != nil {
			later.Stop()
		}
	}
}
