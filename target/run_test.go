package target

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/magefile/mage/mg"
)

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slipway")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExecuteHandsOnTheExitCode(t *testing.T) {
	err := execute(t.Context(), script(t, "exit 2"), []string{"release"})
	if code := mg.ExitStatus(err); code != 2 || !strings.Contains(err.Error(), "slipway release did not succeed") {
		t.Errorf("exit status %d, %v", code, err)
	}
	if err := execute(t.Context(), script(t, "exit 0"), []string{"release"}); err != nil {
		t.Error(err)
	}
	if err := execute(t.Context(), filepath.Join(t.TempDir(), "none"), []string{"release"}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("a command that is not there: %v", err)
	}
}

// TestTerminationInterrupts checks that SIGTERM, which mage does not handle, reaches the
// command as an interrupt, and that execute waits for its cleanup.
func TestTerminationInterrupts(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	dir := t.TempDir()
	ready, cleaned := filepath.Join(dir, "ready"), filepath.Join(dir, "cleaned")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- execute(ctx,
			script(t, `trap 'echo cleaned > "$3"; exit 1' INT; echo ready > "$2"; while :; do sleep 0.01; done`),
			[]string{"release", ready, cleaned})
	}()
	if _, err := os.ReadFile(ready); err != nil { // blocks until the script writes
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("an interrupted command is no success")
	}
	if text := read(t, cleaned); text != "cleaned\n" {
		t.Errorf("cleaned = %q", text)
	}
}
