package node

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// Complete runs a pod whose containers end: those that initialize it and then the others, one
// after the other. The result is how they ended, with their termination messages. A container
// that fails ends the pod, and is an error.
func (a *Agent) Complete(ctx context.Context, pod *corev1.Pod) error {
	network, err := a.network(pod, a.address(pod))
	if err != nil {
		return err
	}
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodSucceeded
	var failure error
	if pod.Status.InitContainerStatuses, failure, err = a.all(ctx, pod, pod.Spec.InitContainers, network); err != nil {
		return err
	}
	if failure == nil {
		if pod.Status.ContainerStatuses, failure, err = a.all(ctx, pod, pod.Spec.Containers, network); err != nil {
			return err
		}
	}
	if failure != nil {
		pod.Status.Phase = corev1.PodFailed
	}
	_, err = a.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return errors.Join(failure, err)
}

// all runs containers to their end, or to that of the first that fails.
func (a *Agent) all(ctx context.Context, pod *corev1.Pod, list []corev1.Container,
	network *namespace.Namespace,
) (statuses []corev1.ContainerStatus, failure, err error) {
	for i := range list {
		c := &list[i]
		end := corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: metav1.Now()}
		p, err := a.container(ctx, pod, c, network)
		if err != nil {
			return nil, nil, fmt.Errorf("container %s: %w", c.Name, err)
		}
		select {
		case <-p.Exited:
		case <-ctx.Done():
			p.Stop()
			return nil, nil, ctx.Err()
		}
		end.FinishedAt = metav1.Now()
		if p.Err != nil {
			failure = fmt.Errorf("container %s: %w\n%s", c.Name, p.Err, p.Log())
			// as runtimes report a program that did not start
			end.Reason, end.ExitCode = "Error", 128
			var exit *exec.ExitError
			if errors.As(p.Err, &exit) {
				end.ExitCode = int32(exit.ExitCode())
			}
		}
		if end.Message, err = message(c.TerminationMessagePolicy, a.messageFile(pod, c), p.Log(),
			failure != nil); err != nil {
			return nil, nil, fmt.Errorf("container %s: %w", c.Name, err)
		}
		statuses = append(statuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, State: corev1.ContainerState{Terminated: &end},
		})
		if failure != nil {
			break
		}
	}
	return statuses, failure, nil
}
