package namespace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Process is a program that runs in a namespace.
type Process struct {
	Name string
	// Exited is closed when the process has ended; Err is how, and may be read from then on.
	Exited chan struct{}
	Err    error

	cmd *exec.Cmd
	log string
}

// Start starts a program whose output goes to the file NAME.log in a directory. The program is
// killed with the namespace at the latest.
func (n *Namespace) Start(name, dir string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Name: name, Exited: make(chan struct{}), cmd: cmd, log: filepath.Join(dir, name+".log")}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := n.begin(cmd); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		p.Err = cmd.Wait()
		close(p.Exited)
	}()
	return p, nil
}

// Run runs a program in the namespace to its end. The program is killed with the namespace at the
// latest.
func (n *Namespace) Run(cmd *exec.Cmd) error {
	if err := n.begin(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// begin starts a program that the kernel kills when the thread ends that started it.
func (n *Namespace) begin(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return n.Do(cmd.Start)
}

// Stop kills the process and waits for its end.
func (p *Process) Stop() {
	p.cmd.Process.Kill() //nolint:errcheck // it may have ended
	<-p.Exited
}

// Log returns the end of what the process printed, at most 8 KB.
func (p *Process) Log() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-8192):])
}

// Quit ends the process by SIGQUIT and returns what it printed then, at most 64 KB: a Go program
// prints its goroutines' stacks.
func (p *Process) Quit() string {
	before, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	p.cmd.Process.Signal(syscall.SIGQUIT) //nolint:errcheck // it may have ended
	<-p.Exited
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	b = b[min(len(before), len(b)):]
	return string(b[:min(len(b), 64<<10)])
}
