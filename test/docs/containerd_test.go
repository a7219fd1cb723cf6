package docs

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// containerd runs a containerd at its usual socket, whose images are in a directory that vanishes
// with the machine.
func containerd(t *testing.T, m *machine) {
	t.Helper()
	m.file(t, "containerd.toml", `version = 2
root = "/run/containerd/root"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
`)
	cmd := exec.Command("containerd", "--config", filepath.Join(world, "containerd.toml"))
	p, err := m.Start("containerd", m.dir, cmd)
	must(t, err)
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Log(p.Log())
		}
	})
	if out, err := m.shell(t, "ready").run("timeout 120 sh -c 'until ctr version; do sleep 0.1; done'"); err != nil {
		t.Fatalf("waiting for containerd: %v\n%s", err, out)
	}
}
