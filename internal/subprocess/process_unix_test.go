//go:build unix

package subprocess_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/subprocess"
)

// start starts a shell that starts a child, which writes its process ID, and returns the ID. The
// child holds the write end of the pipe open.
func start(t *testing.T, cmd *exec.Cmd) (child int, stdout *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err = strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return child, r
}

// ended waits until no process has the pipe open: the program and its children have ended.
func ended(t *testing.T, stdout *os.File) {
	t.Helper()
	if n, err := stdout.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d bytes more, error %v", n, err)
	}
}

// TestCancel checks that a program ends with its context, and its child with it. A child in the
// background ignores interrupts: it is killed after Grace.
func TestCancel(t *testing.T) {
	grace := subprocess.Grace
	t.Cleanup(func() { subprocess.Grace = grace })
	subprocess.Grace = 500 * time.Millisecond
	for name, script := range map[string]string{
		"interrupted": `sh -c 'echo $$; exec sleep 600'; echo survived`,
		"killed":      `sh -c 'echo $$; exec sleep 600' & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testCancel(t, script)
		})
	}
}

func testCancel(t *testing.T, script string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := subprocess.Command(ctx, "sh", "-c", script)
	child, stdout := start(t, cmd)
	if group, err := syscall.Getpgid(child); err != nil || group != cmd.Process.Pid {
		t.Errorf("the child is in group %d, error %v, want %d", group, err, cmd.Process.Pid)
	}
	if own := syscall.Getpgrp(); own == cmd.Process.Pid {
		t.Errorf("the program is in the group of the test, %d", own)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("a program that was interrupted succeeded")
	}
	ended(t, stdout)
}

// TestKill checks that a program that ignores the interrupt, and its child, are killed: here at
// once by Kill, else after Grace.
func TestKill(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := subprocess.Command(ctx, "sh", "-c", `trap '' INT; sh -c 'echo $$; exec sleep 600'; echo survived`)
	child, stdout := start(t, cmd)
	cancel()
	waited := make(chan error, 1)
	go func() { waited <- cmd.Wait() }()
	for alive := true; alive; { // until the group was interrupted, which Kill depends on
		subprocess.Kill()
		select {
		case err := <-waited:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Errorf("the program ended with %v", err)
			}
			alive = false
		default:
		}
	}
	ended(t, stdout)
	if err := syscall.Kill(child, 0); err == nil {
		// it may be a zombie until init reaps it; it cannot run, since its pipe is closed
		t.Logf("process %d is not reaped yet", child)
	}
}

// TestSuccess checks that a command works as one of os/exec does.
func TestSuccess(t *testing.T) {
	out, err := subprocess.Command(t.Context(), "echo", "hello").Output()
	if err != nil || string(out) != "hello\n" {
		t.Errorf("%q, %v", out, err)
	}
}
