package buildkit

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// daemon runs buildkitd until the test ends and returns a function that runs buildctl against it.
func daemon(t *testing.T) (buildctl func(args ...string) (string, error)) {
	t.Helper()
	buildkitd, client := testprog.Built(t, "buildkit", "buildkitd"), testprog.Built(t, "buildkit", "buildctl")
	root, err := os.MkdirTemp("", "bk") // a socket's path may not be long
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	addr := "unix://" + filepath.Join(root, "s")
	d := exec.CommandContext(t.Context(), buildkitd, "--root", filepath.Join(root, "root"), "--addr", addr,
		"--config", os.DevNull, "--otel-socket-path", filepath.Join(root, "otel"), "--containerd-worker=false",
		"--oci-worker=true", "--oci-worker-snapshotter=auto", "--oci-worker-net=host", "--oci-worker-gc=false")
	d.Cancel = func() error { return d.Process.Signal(syscall.SIGTERM) }
	out, err := d.StderrPipe()
	must(t, err)
	must(t, d.Start())
	t.Cleanup(func() { d.Wait() }) //nolint:errcheck // it ends by a signal
	lines := bufio.NewScanner(out)
	var log bytes.Buffer
	for ready := false; !ready; {
		if !lines.Scan() {
			t.Fatalf("buildkitd did not start:\n%s", log.String())
		}
		fmt.Fprintln(&log, lines.Text())
		ready = strings.Contains(lines.Text(), "running server on")
	}
	go func() {
		for lines.Scan() { // so that it never waits for us
		}
	}()
	return func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), client, append([]string{"--addr", addr}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
