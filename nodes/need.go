package nodes

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// needs holds what a pod asks for against all that a node has for pods. What other pods take of
// it changes by the minute.
func needs(spec *corev1.PodSpec, n Node) []Reason {
	has := n.object.Status.Allocatable
	if len(has) == 0 {
		return nil // a node that no kubelet has joined yet
	}
	var reasons []Reason
	asked := resource.PodRequests(&corev1.Pod{Spec: *asking(spec)}, resource.PodResourcesOptions{})
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

// asking is a specification as the apiserver keeps it: what a container has a limit for and does
// not ask for, it asks for up to its limit.
func asking(spec *corev1.PodSpec) *corev1.PodSpec {
	spec = spec.DeepCopy()
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			r := &list[i].Resources
			for name, limit := range r.Limits {
				if _, ok := r.Requests[name]; ok {
					continue
				}
				if r.Requests == nil {
					r.Requests = corev1.ResourceList{}
				}
				r.Requests[name] = limit
			}
		}
	}
	return spec
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
