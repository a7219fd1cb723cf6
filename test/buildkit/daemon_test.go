package buildkit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// tools returns the directory that holds buildkitd and buildctl. They are built when daemon/go.sum has changed since they were.
func tools(t *testing.T) string {
	t.Helper()
	sum, err := os.ReadFile("daemon/go.sum")
	must(t, err)
	cache, err := os.UserCacheDir()
	must(t, err)
	mod, err := os.ReadFile("daemon/go.mod")
	must(t, err)
	dir := filepath.Join(cache, "slipway", fmt.Sprintf("buildkit-%x", sha256.Sum256(append(mod, sum...))))
	if _, err := os.Stat(filepath.Join(dir, "buildctl")); err == nil {
		return dir
	}
	t.Logf("building buildkitd and buildctl into %s: 3 minutes where nothing is cached", dir)
	must(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"buildkitd", "buildctl"} {
		f, err := os.CreateTemp(dir, name+".part-") // another checkout may build it at the same time
		must(t, err)
		part := f.Name()
		must(t, f.Close())
		cmd := exec.CommandContext(t.Context(), "go", "build", "-C", "daemon", "-o", part, "github.com/moby/buildkit/cmd/"+name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, out)
		}
		must(t, os.Rename(part, filepath.Join(dir, name)))
	}
	return dir
}

// daemon runs buildkitd until the test ends and returns a function that runs buildctl against it.
func daemon(t *testing.T) (buildctl func(args ...string) (string, error)) {
	t.Helper()
	dir := tools(t)
	root, err := os.MkdirTemp("", "bk") // a socket's path may not be long
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	addr := "unix://" + filepath.Join(root, "s")
	d := exec.CommandContext(t.Context(), filepath.Join(dir, "buildkitd"), "--root", filepath.Join(root, "root"), "--addr", addr,
		"--config", os.DevNull, "--otel-socket-path", filepath.Join(root, "otel"), "--containerd-worker=false", "--oci-worker=true", "--oci-worker-snapshotter=native", "--oci-worker-net=host", "--oci-worker-gc=false")
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
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "buildctl"), append([]string{"--addr", addr}, args...)...)
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
