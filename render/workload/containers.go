package workload

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Container is one of a pod's containers, from any of its three lists.
type Container struct {
	corev1.Container
	Path []any // below the pod's spec: "initContainers", 0
}

// Containers returns a pod's containers: init containers, containers, ephemeral containers.
func Containers(spec *corev1.PodSpec) []Container {
	var all []Container
	add := func(list string, n int, c corev1.Container) {
		all = append(all, Container{c, []any{list, n}})
	}
	for n, c := range spec.InitContainers {
		add("initContainers", n, c)
	}
	for n, c := range spec.Containers {
		add("containers", n, c)
	}
	for n, c := range spec.EphemeralContainers {
		add("ephemeralContainers", n, corev1.Container(c.EphemeralContainerCommon))
	}
	return all
}

// Reference is an image that a pod names.
type Reference struct {
	Image string
	Path  []any // below the pod's spec
	Runs  bool  // a container runs it; the platform of an image that is only mounted is free
}

// References returns the images of a pod's containers and of its volumes.
func References(spec *corev1.PodSpec) []Reference {
	var all []Reference
	for _, c := range Containers(spec) {
		all = append(all, Reference{c.Image, slices.Concat(c.Path, []any{"image"}), true})
	}
	for n, v := range spec.Volumes {
		if v.Image != nil {
			all = append(all, Reference{v.Image.Reference, []any{"volumes", n, "image", "reference"}, false})
		}
	}
	return all
}
