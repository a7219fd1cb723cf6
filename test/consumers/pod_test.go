package consumers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// runs starts a pod with a container of an image, which is asked for as release.yaml has it, and
// reports whether its program printed what it should.
func (k kubelet) runs(t *testing.T, pinned, tagged string, pins bool, run run) bool {
	t.Helper()
	name := pinned
	if !pins {
		name = tagged
	}
	ctx, logs := t.Context(), t.TempDir()
	node := &cri.NamespaceOption{
		Network: cri.NamespaceMode_NODE, Pid: cri.NamespaceMode_CONTAINER,
		Ipc: cri.NamespaceMode_NODE,
	}
	pod := &cri.PodSandboxConfig{
		Metadata:     &cri.PodSandboxMetadata{Name: run.image, Namespace: "default", Uid: run.image},
		LogDirectory: logs,
		Linux: &cri.LinuxPodSandboxConfig{
			SecurityContext: &cri.LinuxSandboxSecurityContext{NamespaceOptions: node},
		},
	}
	sandbox, err := k.runtime.RunPodSandbox(ctx, &cri.RunPodSandboxRequest{Config: pod})
	if err != nil {
		t.Errorf("running a sandbox: %v", err)
		return false
	}
	id := sandbox.PodSandboxId
	defer func() {
		if _, err := k.runtime.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: id}); err != nil {
			t.Error(err)
		}
		if _, err := k.runtime.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: id}); err != nil {
			t.Error(err)
		}
	}()
	made, err := k.runtime.CreateContainer(ctx,
		&cri.CreateContainerRequest{PodSandboxId: id, SandboxConfig: pod, Config: &cri.ContainerConfig{
			Metadata: &cri.ContainerMetadata{Name: run.image},
			Image:    &cri.ImageSpec{Image: k.status(t, name).Id, UserSpecifiedImage: name},
			Command:  run.command,
			LogPath:  "log",
			Linux: &cri.LinuxContainerConfig{
				SecurityContext: &cri.LinuxContainerSecurityContext{NamespaceOptions: node},
			},
		}})
	if err != nil {
		t.Errorf("creating a container of %s: %v", name, err)
		return false
	}
	if _, err := k.runtime.StartContainer(ctx, &cri.StartContainerRequest{ContainerId: made.ContainerId}); err != nil {
		t.Errorf("starting a container of %s: %v", name, err)
		return false
	}
	var said []byte
	until(t, "a container of "+name+" says what it is to say", func() bool {
		said, err = os.ReadFile(filepath.Join(logs, "log"))
		return err == nil && strings.Contains(string(said), run.says)
	})
	return true
}
