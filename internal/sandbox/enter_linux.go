package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// enter restricts the process and makes it the program of the policy. The error is nil only for a
// trial.
func (p *policy) enter() error {
	runtime.LockOSThread() // settings are those of a thread, and exec keeps those of the caller
	if p.Root != "" {
		if err := p.mount(); err != nil {
			return err
		}
	}
	if err := os.Chdir(p.Dir); err != nil {
		return err
	}
	if p.Root != "" {
		if err := dropCapabilities(); err != nil {
			return fmt.Errorf("giving up capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	if p.Landlock > 0 {
		if err := p.landlock(); err != nil {
			return err
		}
	}
	if p.Seccomp {
		if err := filter(); err != nil {
			return fmt.Errorf("setting a seccomp filter: %w", err)
		}
	}
	if len(p.Program) == 0 {
		return nil
	}
	return fmt.Errorf("running %s: %w", p.Program[0], syscall.Exec(p.Program[0], p.Program, p.Env))
}

// dropCapabilities takes from the thread, and from what it runs, the rights that it has in its user
// namespace.
func dropCapabilities() error {
	for c := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EINVAL {
			break // the kernel knows no more
		} else if err != nil {
			return err
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}
