package nodes

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// needs holds what a pod asks for against all that a node has for pods. What other pods take of it changes by the minute.
func needs(spec *corev1.PodSpec, n Node) []Reason {
	has := n.object.Status.Allocatable
	if len(has) == 0 {
		return nil // a node that no kubelet has joined yet
	}
	var reasons []Reason
	asked := resource.PodRequests(&corev1.Pod{Spec: *spec}, resource.PodResourcesOptions{})
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		want := asked[name]
		have, ok := has[name]
		switch {
		case want.IsZero() || ok && want.Cmp(have) <= 0:
		case !ok:
			reasons = append(reasons, Reason{"resources", fmt.Sprintf("the pod asks for %s %s, the node has none", want.String(), name)})
		default:
			reasons = append(reasons, Reason{"resources", fmt.Sprintf("the pod asks for %s %s, the node has %s", want.String(), name, have.String())})
		}
	}
	return reasons
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
