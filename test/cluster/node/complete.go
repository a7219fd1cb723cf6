package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// Complete runs a pod whose containers end: those that initialize it and then the others, one after the other. It reports that the pod has
// succeeded, with what its containers left as their termination messages.
func (a *Agent) Complete(ctx context.Context, pod *corev1.Pod) error {
	network, err := a.network(a.address(pod))
	if err != nil {
		return err
	}
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodSucceeded
	if pod.Status.InitContainerStatuses, err = a.all(ctx, pod, pod.Spec.InitContainers, network); err != nil {
		return err
	}
	if pod.Status.ContainerStatuses, err = a.all(ctx, pod, pod.Spec.Containers, network); err != nil {
		return err
	}
	_, err = a.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// all runs containers to their end.
func (a *Agent) all(ctx context.Context, pod *corev1.Pod, list []corev1.Container, network *namespace.Namespace) ([]corev1.ContainerStatus, error) {
	var statuses []corev1.ContainerStatus
	for i := range list {
		c := &list[i]
		start := metav1.Now()
		p, err := a.container(ctx, pod, c, network)
		if err != nil {
			return nil, fmt.Errorf("container %s: %w", c.Name, err)
		}
		select {
		case <-p.Exited:
		case <-ctx.Done():
			p.Stop()
			return nil, ctx.Err()
		}
		if p.Err != nil {
			return nil, fmt.Errorf("container %s: %w\n%s", c.Name, p.Err, p.Log())
		}
		message, err := os.ReadFile(filepath.Join(a.root(pod, c), c.TerminationMessagePath))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		statuses = append(statuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				Reason: "Completed", Message: string(message), StartedAt: start, FinishedAt: metav1.Now(),
			}},
		})
	}
	return statuses, nil
}
