package testprog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Containerd2 starts a containerd 2 that was built from its Go module, as [Containerd] does, and
// returns the paths of its socket and of its ctr. Imports are further files of its configuration.
func Containerd2(t testing.TB, imports ...string) (socket, ctr string) {
	t.Helper()
	Need(t, "containerd")
	ctr = Built(t, "containerd", "ctr")
	daemon := Built(t, "containerd", "containerd")
	// ctr leaves unpacking to the transfer service, which knows the snapshotter overlayfs only
	// unless others are configured.
	list, err := json.Marshal(append([]string{}, imports...)) // the same in TOML
	if err != nil {
		t.Fatal(err)
	}
	return containerd(t, daemon, shims(t, "containerd"), `version = 3
imports = `+string(list)+`
[[plugins."io.containerd.transfer.v1.local".unpack_config]]
platform = "linux/amd64"
snapshotter = "native"
[plugins."io.containerd.cri.v1.images"]
snapshotter = "native"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "`+SandboxImage+`"
[plugins."io.containerd.cri.v1.runtime"]
restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
conf_dir = "DIR/cni"
`), ctr
}

// Stores of Docker 29.
const (
	ClassicStore    = "classic"    // as of all Dockers before, by image IDs
	ContainerdStore = "containerd" // what a new installation has
)

// Dockerd29 starts a Docker daemon that was built from its Go module, as [Dockerd] does, with one
// of the stores, and returns the paths of its socket and of its docker.
func Dockerd29(t testing.TB, store string) (socket, docker string) {
	t.Helper()
	Need(t, "docker")
	env := shims(t, "docker")
	docker = Built(t, "docker", "docker")
	daemon := Built(t, "docker", "dockerd")
	Built(t, "docker", "containerd") // dockerd starts it
	dir := shortDir(t)
	socket = filepath.Join(dir, "d.sock")
	driver := map[string]string{ClassicStore: "vfs", ContainerdStore: "native"}[store]
	config := fmt.Sprintf(`{"features": {"containerd-snapshotter": %v}, "storage-driver": %q, "log-level": "warn"}`,
		store == ContainerdStore, driver)
	if err := os.WriteFile(filepath.Join(dir, "daemon.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, socket, env, daemon, "--config-file", filepath.Join(dir, "daemon.json"), "--host", "unix://"+socket,
		"--data-root", filepath.Join(dir, "data"),
		"--exec-root", filepath.Join(dir, "exec"), "--pidfile", filepath.Join(dir, "pid"), "--iptables=false",
		"--ip6tables=false", "--bridge=none")
	return socket, docker
}

// shims returns an environment in which daemons find the shim and the runc that fit them before
// those of the system: Debian 12's lack the namespaces that Docker 29 requires.
func shims(t testing.TB, consumer string) []string {
	t.Helper()
	Need(t, "gcc")
	Built(t, "gcc", "runc")
	dir := filepath.Dir(Built(t, consumer, "containerd-shim-runc-v2"))
	return []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")}
}
