//go:build linux

package sandbox_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/sandbox"
)

// TestCancel checks that a program in a box ends with its context, and with it a process that has
// left its session, where the machine permits PID namespaces.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	b, err := sandbox.New(t.Context(),
		sandbox.Options{Mode: sandbox.Auto, Dir: dir, Cache: filepath.Join(dir, "cache"), Programs: true})
	if err != nil {
		t.Fatal(err)
	}
	if b.Protection().Namespaces == nil {
		t.Logf("this machine has %s: a process that leaves its session goes on", b.Protection())
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := b.Command(ctx,
		sandbox.Run{
			Program: []string{
				"/bin/sh",
				"-c", `trap "exit 3" INT; setsid sh -c "trap '' INT TERM; echo started; exec sleep 600" & wait`,
			},
			Env: []string{"PATH=/usr/bin:/bin"}, Dir: b.Cache(),
		})
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	out := bufio.NewReader(r)
	if line, err := out.ReadString('\n'); line != "started\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("a program that was interrupted succeeded")
	}
	if n, err := out.ReadByte(); err == nil { // until no process has the pipe open
		t.Errorf("it says %q after its end", n)
	}
}
