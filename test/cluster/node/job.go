package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// kill ends a pod of a Job that is deleted.
func (a *Agent) kill(pod *corev1.Pod) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.killed[pod.UID]
	select {
	case <-c:
	default:
		close(c)
	}
}

// job runs the container of a Job's pod by runc to its end, and reports how it ended. As the
// kubelet does it, a pod that is deleted is killed, reported as failed, and then removed.
func (a *Agent) job(ctx context.Context, pod *corev1.Pod, address string, network *namespace.Namespace) error {
	if len(pod.Spec.InitContainers) > 0 || len(pod.Spec.Containers) != 1 {
		return errors.New("this agent runs Jobs with one container")
	}
	c := &pod.Spec.Containers[0]
	a.mu.Lock()
	killed := a.killed[pod.UID]
	a.mu.Unlock()
	now := metav1.Now()
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, PodIP: address, PodIPs: []corev1.PodIP{{IP: address}},
		StartTime: &now,
	}
	set := func(phase corev1.PodPhase, state corev1.ContainerState) error {
		status.Phase = phase
		status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: c.Name, Image: c.Image, ImageID: c.Image,
			State: state,
		}}
		patch, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			return err
		}
		_, err = a.Client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType,
			patch, metav1.PatchOptions{}, "status")
		return err
	}
	p, id, err := a.runc(ctx, pod, c, network)
	if err != nil {
		return err
	}
	if err := set(corev1.PodRunning,
		corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}); err != nil {
		return err
	}
	stop := func() {
		exec.CommandContext(context.WithoutCancel(ctx), "runc", "--root", a.runcRoot(), "kill", id, "KILL").Run() //nolint:errcheck // it may have ended
		<-p.Exited
	}
	deleted := false
	select {
	case <-p.Exited:
	case <-killed:
		deleted = true
		stop()
	case <-ctx.Done():
		stop()
		return nil
	}
	end := corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now, FinishedAt: metav1.Now()}
	phase := corev1.PodSucceeded
	if p.Err != nil {
		phase, end.Reason, end.ExitCode = corev1.PodFailed, "Error", 128
		var exit *exec.ExitError
		if errors.As(p.Err, &exit) {
			end.ExitCode = int32(exit.ExitCode())
		}
	}
	err = set(phase, corev1.ContainerState{Terminated: &end})
	if deleted {
		zero := int64(0)
		return errors.Join(err, a.Client.CoreV1().Pods(pod.Namespace).Delete(ctx,
			pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero}))
	}
	if p.Err != nil {
		err = errors.Join(err, fmt.Errorf("container %s: %w\n%s", c.Name, p.Err, p.Log()))
	}
	return err
}

// Failed returns why a pod was not run, or its container failed.
func (a *Agent) Failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return errors.Join(a.failures...)
}

// Log returns the end of what the container of a Job's pod has printed.
func (a *Agent) Log(pod *corev1.Pod) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.running {
		if p.Name == pod.Name+"."+pod.Spec.Containers[0].Name {
			return p.Log()
		}
	}
	return ""
}

func (a *Agent) runcRoot() string { return filepath.Join(a.Dir, "runc") }

// rootFS lays an image out, once for all containers: each has it read-only.
func (a *Agent) rootFS(ctx context.Context, image string) (string, *v1.ConfigFile, error) {
	a.mu.Lock()
	get := a.images[image]
	if get == nil {
		dir := filepath.Join(a.Dir, "images", fmt.Sprint(len(a.images)))
		var config *v1.ConfigFile
		once := sync.OnceValue(func() (err error) {
			config, err = pull(ctx, image, dir, remote.WithTransport(a.transport()))
			return err
		})
		get = func() (string, *v1.ConfigFile, error) { err := once(); return dir, config, err }
		a.images[image] = get
	}
	a.mu.Unlock()
	return get()
}
