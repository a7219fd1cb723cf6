// Package node replaces the one part of a cluster that the tests do not have: kubelets. The
// package registers nodes, and runs the pods that the scheduler binds to a Linux node as
// processes of their images, in the network namespace of the control plane: with the root
// directory, user, environment, service account and volumes that the pod's specification gives
// them.
package node

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Spec is a node as it is registered.
type Spec struct {
	Name, Address string
	OS            string
	OSVersion     string // of Windows: 10.0.20348.2700
	Architecture  string // amd64 where empty
	Labels        map[string]string
	Taints        []corev1.Taint
	Unschedulable bool // as after kubectl cordon
}

// Register makes a node that is ready, as a kubelet and the controller of the nodes' lifecycle do
// together.
func Register(ctx context.Context, client kubernetes.Interface, s Spec) error {
	arch := cmp.Or(s.Architecture, "amd64")
	labels := map[string]string{corev1.LabelOSStable: s.OS, corev1.LabelArchStable: arch, corev1.LabelHostname: s.Name}
	for k, v := range s.Labels {
		labels[k] = v
	}
	nodes := client.CoreV1().Nodes()
	n, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: s.Name, Labels: labels}},
		metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("registering %s: %w", s.Name, err)
	}
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("16"), corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	n.Status = corev1.NodeStatus{
		Capacity: room, Allocatable: room,
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue,
			Reason: "KubeletReady",
		}},
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: s.Address},
			{Type: corev1.NodeHostName, Address: s.Name},
		},
		NodeInfo: corev1.NodeSystemInfo{
			OperatingSystem: s.OS, Architecture: arch, KernelVersion: s.OSVersion,
			KubeletVersion: "v1.37.2",
		},
	}
	if n, err = nodes.UpdateStatus(ctx, n, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("registering %s: %w", s.Name, err)
	}
	// not-ready is not among them, which admission puts on every new node
	n.Spec.Taints, n.Spec.Unschedulable = s.Taints, s.Unschedulable
	if _, err = nodes.Update(ctx, n, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("registering %s: %w", s.Name, err)
	}
	return nil
}
