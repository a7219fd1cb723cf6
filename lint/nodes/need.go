package nodes

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// needs compares the requests of a pod with the allocatable resources of a node. The share of other
// pods changes constantly and is ignored.
func needs(spec *corev1.PodSpec, n Node) []Reason {
	has := n.object.Status.Allocatable
	if len(has) == 0 {
		return nil // a node that no kubelet has joined yet
	}
	var reasons []Reason
	asked := resource.PodRequests(&corev1.Pod{Spec: *withRequests(spec)}, resource.PodResourcesOptions{})
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		want := asked[name]
		have, ok := has[name]
		switch {
		case want.IsZero() || ok && want.Cmp(have) <= 0:
		case !ok:
			reasons = append(reasons,
				Reason{"resources", fmt.Sprintf("the pod asks for %s %s, which the node lacks", want.String(), name)})
		default:
			reasons = append(reasons, Reason{
				"resources",
				fmt.Sprintf("the pod asks for %s %s, the node has %s", want.String(), name, have.String()),
			})
		}
	}
	return reasons
}

// withRequests returns the spec as the API server defaults it: a container with a limit and without
// a request requests the limit.
func withRequests(spec *corev1.PodSpec) *corev1.PodSpec {
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
