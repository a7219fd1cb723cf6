package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// namespaces are those that a program in a box gets, as they are named to users.
var namespaces = []string{"user", "mount", "PID", "IPC", "UTS", "network"}

const cloneFlags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID |
	syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET

// try returns what works on this machine.
func (b *Box) try(ctx context.Context) Protection {
	abi, err := landlock.LandlockGetABIVersion()
	if err != nil {
		abi = 0
	}
	var lacks []string
	p := Protection{Namespaces: namespaces, Landlock: abi, Seccomp: hasSeccomp}
	if err := b.works(ctx, p); err != nil {
		lacks = append(lacks, fmt.Sprintf("user namespaces are not permitted here (%v)", err))
		p.Namespaces = nil
	}
	if p.Landlock > 0 && p.Namespaces == nil {
		if err := b.works(ctx, p); err != nil {
			lacks = append(lacks, fmt.Sprintf("Landlock does not work here (%v)", err))
			p.Landlock = 0
		}
	}
	if abi == 0 {
		lacks = append(lacks, "the kernel has no Landlock, or it is off")
	}
	if p.Seccomp && p.Namespaces == nil && p.Landlock == 0 {
		p.Seccomp = b.works(ctx, p) == nil
	}
	p.Lacks = strings.Join(lacks, ", ")
	return p
}

// works tries a protection with a child that restricts itself and ends.
func (b *Box) works(ctx context.Context, with Protection) error {
	trial := Box{options: b.options, protection: with}
	if with.Namespaces != nil {
		if err := disk.MkdirAll(b.root()); err != nil {
			return err
		}
	}
	if err := disk.MkdirAll(b.options.Cache); err != nil {
		return err
	}
	p := trial.policy(Run{Dir: b.options.Cache})
	cmd := p.command(ctx)
	stderr := &subprocess.Tail{}
	cmd.Stderr = stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && stderr.Line() != "" {
		return errors.New(stderr.Line())
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// root is where children make their trees. Each has its own mounts on it.
func (b *Box) root() string { return filepath.Join(b.options.Dir, "root") }

// isolate makes the command start in namespaces of its own, and in a new session, so that it has
// no terminal; its group is that of the command as before.
func (p *policy) isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid = false, true
	if p.Root == "" {
		return
	}
	// In its namespace it is root, since it mounts, and owns what the user owns.
	cmd.SysProcAttr.Cloneflags = cloneFlags
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
}
