package testprog

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

// SandboxImage is the image that the containerds have for the sandboxes of pods. The image is
// loaded, as on a node without a network.
const SandboxImage = "docker.io/library/pause:3.9"

// Containerd starts a containerd with a root of its own and returns the path of its socket. The
// containerd serves CRI, too, with no network for pods, and does not spare the sandboxes when
// memory runs out, which not every root in a container may ask for.
func Containerd(t testing.TB) string {
	t.Helper()
	Need(t, "containerd")
	return containerd(t, "containerd", nil, `version = 2
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "`+SandboxImage+`"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
conf_dir = "DIR/cni"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "native"
`)
}

// containerd starts a containerd in a new directory, which replaces DIR in what of its
// configuration is of its generation.
func containerd(t testing.TB, program string, env []string, config string) (socket string) {
	t.Helper()
	dir := shortDir(t)
	socket = filepath.Join(dir, "c.sock")
	config = strings.ReplaceAll(config, "DIR", dir) +
		fmt.Sprintf("[debug]\nlevel = \"warn\"\n[grpc]\naddress = %q\n[ttrpc]\naddress = %q\n", socket, socket+".ttrpc")
	path := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, socket, env, program, "--config", path, "--root", filepath.Join(dir, "root"), "--state",
		filepath.Join(dir, "state"))
	return socket
}

// Dockerd starts a Docker daemon with a root of its own that needs neither a bridge nor iptables,
// and keeps images in its classic store, and returns the path of its socket.
func Dockerd(t testing.TB) string {
	t.Helper()
	Need(t, "docker")
	dir := shortDir(t)
	socket := filepath.Join(dir, "d.sock")
	start(t, socket, nil, "dockerd", "--host", "unix://"+socket, "--data-root", filepath.Join(dir, "data"),
		"--exec-root", filepath.Join(dir, "exec"),
		"--pidfile", filepath.Join(dir, "pid"), "--storage-driver", "vfs", "--iptables=false", "--ip6tables=false",
		"--bridge=none")
	return socket
}

// Buildkitd starts a BuildKit daemon with a root of its own, which runs programs by runc, and
// returns its address.
func Buildkitd(t testing.TB) string {
	t.Helper()
	Need(t, "buildkit")
	daemon := Built(t, "buildkit", "buildkitd")
	dir := shortDir(t)
	socket := filepath.Join(dir, "s")
	start(t, socket, nil, daemon, "--root", filepath.Join(dir, "root"), "--addr", "unix://"+socket,
		"--config", os.DevNull, "--otel-socket-path", filepath.Join(dir, "otel"), "--containerd-worker=false",
		"--oci-worker=true", "--oci-worker-snapshotter=auto", "--oci-worker-net=host", "--oci-worker-gc=false")
	return "unix://" + socket
}

// shortDir is a directory until the test ends. Those of t.TempDir have names that are too long
// for the path of a socket.
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

// unmount takes away what a daemon has left mounted below a directory, as dockerd does that is
// stopped while it starts.
func unmount(t testing.TB, dir string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return // not Linux
	}
	lines := strings.Split(string(mounts), "\n")
	for n := len(lines) - 1; n >= 0; n-- { // the last mount goes first
		if f := strings.Fields(lines[n]); len(f) > 1 && strings.HasPrefix(f[1], dir+"/") {
			if out, err := exec.CommandContext(context.WithoutCancel(t.Context()),
				"umount", f[1]).CombinedOutput(); err != nil {
				t.Errorf("unmounting %s: %v\n%s", f[1], err, out)
			}
		}
	}
}

// start runs a daemon until the test ends, and returns once it listens. env is what its
// environment has besides the test's.
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
		<-exited                            //nolint:errcheck // it got the signal to end
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
