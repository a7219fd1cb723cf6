package need

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Containerd starts a containerd with a root of its own, without CRI, and returns the path of its socket.
func Containerd(t testing.TB) string {
	t.Helper()
	Programs(t, "containerd", "containerd", "ctr", "runc")
	Root(t, "containerd")
	dir := shortDir(t)
	socket := filepath.Join(dir, "c.sock")
	config := fmt.Sprintf("version = 2\nroot = %q\nstate = %q\ndisabled_plugins = [\"io.containerd.grpc.v1.cri\"]\n[debug]\nlevel = \"warn\"\n[grpc]\naddress = %q\n[ttrpc]\naddress = %q\n",
		filepath.Join(dir, "root"), filepath.Join(dir, "state"), socket, socket+".ttrpc")
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, socket, nil, "containerd", "--config", filepath.Join(dir, "config.toml"))
	return socket
}

// Dockerd starts a Docker daemon with a root of its own that needs neither a bridge nor iptables, and keeps images in its classic
// store. It returns the path of its socket.
func Dockerd(t testing.TB) string {
	t.Helper()
	Programs(t, "docker", "dockerd", "docker")
	Root(t, "docker")
	dir := shortDir(t)
	socket := filepath.Join(dir, "d.sock")
	start(t, socket, nil, "dockerd", "--host", "unix://"+socket, "--data-root", filepath.Join(dir, "data"), "--exec-root", filepath.Join(dir, "exec"),
		"--pidfile", filepath.Join(dir, "pid"), "--storage-driver", "vfs", "--iptables=false", "--ip6tables=false", "--bridge=none")
	return socket
}

// shortDir is a directory until the test ends. Those of t.TempDir have names that are too long for the path of a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "slipway-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unmount(t, dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// unmount takes away what a daemon has left mounted below a directory, as dockerd does that is stopped while it starts.
func unmount(t testing.TB, dir string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return // not Linux
	}
	lines := strings.Split(string(mounts), "\n")
	for n := len(lines) - 1; n >= 0; n-- { // what was mounted last goes first
		if f := strings.Fields(lines[n]); len(f) > 1 && strings.HasPrefix(f[1], dir+"/") {
			if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "umount", f[1]).CombinedOutput(); err != nil {
				t.Errorf("unmounting %s: %v\n%s", f[1], err, out)
			}
		}
	}
}

// start runs a daemon until the test ends, and returns once it listens. env is what its environment has besides the test's.
func start(t testing.TB, socket string, env []string, daemon string, args ...string) {
	t.Helper()
	var log strings.Builder
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), daemon, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &log, &log, append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
		<-exited                            //nolint:errcheck // it was told to end
		if t.Failed() {
			t.Log(log.String())
		}
	})
	deadline := time.NewTimer(5 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := new(net.Dialer).DialContext(t.Context(), "unix", socket); err == nil {
			c.Close()
			return
		}
		select {
		case err := <-exited:
			exited <- err
			t.Fatalf("%s ended: %v\n%s", daemon, err, log.String())
		case <-deadline.C:
			t.Fatalf("%s did not answer within five minutes", daemon)
		case <-tick.C:
		}
	}
}
