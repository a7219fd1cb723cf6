package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a running slipway.
type process struct {
	cmd  *exec.Cmd
	log  bytes.Buffer // standard error
	temp string       // its directory for temporary files
}

func begin(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return beginWith(t, nil, dir, args...)
}

// beginWith is begin with additions to the environment.
func beginWith(t *testing.T, env []string, dir string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(t.Context(), slipway(t), args...), temp: t.TempDir()}
	p.cmd.Dir, p.cmd.Stderr, p.cmd.Env = dir, &p.log, append(append(os.Environ(), "TMPDIR="+p.temp), env...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// freeze stops the process after it has read some of the ballast and before it has read
// most. It returns false if it was too late; the process then runs on to its end.
func (p *process) freeze(t *testing.T) bool {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for p.read() < ballast/16 {
		if p.is('Z') {
			return false
		}
		<-tick.C
	}
	p.signal(t, syscall.SIGSTOP)
	for !p.is('T') {
		if p.is('Z') {
			return false
		}
		<-tick.C
	}
	if p.read() < ballast/2 {
		return true
	}
	p.signal(t, syscall.SIGCONT)
	return false
}

// read returns the number of bytes that the process has read so far.
func (p *process) read() int64 {
	// The file of an ended process is empty.
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", p.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "rchar: "); ok {
			v, _ := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
			return v
		}
	}
	return 0
}

// is reports whether the kernel has the process in a state: T for stopped, Z for ended.
func (p *process) is(state byte) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, after, ok := bytes.Cut(text, []byte(") "))
	return ok && after[0] == state
}

// stopped checks the exit, the output and the leftovers of an interrupted process.
func (p *process) stopped(t *testing.T, err error) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("interrupted: %v, want exit code 130", err)
	}
	lines := strings.Split(strings.TrimSpace(p.log.String()), "\n")
	if last := lines[len(lines)-1]; last != "error: stopped by signal: interrupt" ||
		strings.Count(p.log.String(), "error:") != 1 {
		t.Errorf("it said\n%s", p.log.String())
	}
	holds(t, p.temp, nil)
}
