package render

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
)

// systems returns the operating systems whose nodes a pod may run on, and finds pods that do not
// say. spec.os alone does not say: the scheduler ignores it, and the kubelet of a node with
// another system then refuses the pod
// (https://kubernetes.io/docs/concepts/workloads/pods/#pod-os).
func (c *checker) systems(n int, at leaf, spec *corev1.PodSpec) []string {
	list, selects := workload.Systems(spec)
	switch {
	case !selects && spec.OS != nil:
		c.add(n, at, "os.name does not steer the scheduler: add nodeSelector %s: %s", corev1.LabelOSStable, spec.OS.Name)
	case !selects:
		c.add(n, at, "the pod may land on a node of any operating system: add nodeSelector %s: linux (or windows)", corev1.LabelOSStable)
	case len(list) == 0:
		c.add(n, at, "no node has what the node selector and the node affinity ask for together: name one operating system in both")
	case spec.OS != nil && !slices.Contains(list, string(spec.OS.Name)):
		c.add(n, at, "os.name is %s, but the pod selects nodes with %s", spec.OS.Name, strings.Join(list, ", "))
	}
	if !selects {
		return nil
	}
	return list
}

// runs finds an image without files for a system that its pod may run on. What is not pinned is
// found elsewhere.
func (c *checker) runs(n int, at leaf, image string, systems []string) {
	i, ok := c.images.Find(image)
	if !ok {
		return
	}
	for _, os := range systems {
		if !i.Runs(os) {
			c.add(n, at, "the pod selects %s nodes, but %s has no image for %s", os, i.Name, os)
		}
	}
}

func bracket(n int, name string) string {
	if name != "" {
		return "[" + name + "]"
	}
	return fmt.Sprintf("[%d]", n)
}
