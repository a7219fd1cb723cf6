package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"

	"github.com/slipway-dev/slipway/internal/workload"
)

// class is a RuntimeClass: what it adds to pods that name it.
type class struct {
	scheduling *nodev1.Scheduling
	overhead   corev1.ResourceList
	broken     error
}

// runtimeClasses reads the RuntimeClasses that the release itself brings.
func runtimeClasses(objects []workload.Object) map[string]class {
	all := map[string]class{}
	for _, o := range objects {
		if o.APIVersion != "node.k8s.io/v1" || o.Kind != "RuntimeClass" {
			continue
		}
		var rc nodev1.RuntimeClass
		err := o.Decode(&rc)
		k := class{scheduling: rc.Scheduling, broken: err}
		if rc.Overhead != nil {
			k.overhead = rc.Overhead.PodFixed
		}
		all[o.Name] = k
	}
	return all
}

// admitted returns the pod's spec as it reaches the scheduler, and notes about what else may be
// added on the way there.
func (c checker) admitted(o workload.Object) (*corev1.PodSpec, []string) {
	spec := o.Pod.Spec.DeepCopy()
	var notes []string
	if o.Pod.Kind != workload.Template {
		spec.Containers = []corev1.Container{{Name: "build", Resources: o.Pod.Resources}}
		notes = append(notes, "kpack adds the builder's images and a node selector for its system, which the release does not tell")
	}
	if o.Kind == "DaemonSet" {
		spec.Tolerations = append(spec.Tolerations, daemon...)
		if spec.HostNetwork {
			spec.Tolerations = append(spec.Tolerations, hostNetworkDaemon)
		}
	}
	if spec.SchedulerName != "" && spec.SchedulerName != corev1.DefaultSchedulerName {
		notes = append(notes, fmt.Sprintf("schedulerName is %s, which may decide otherwise than the default scheduler", spec.SchedulerName))
	}
	if spec.RuntimeClassName == nil || *spec.RuntimeClassName == "" {
		return spec, notes
	}
	name := *spec.RuntimeClassName
	k, ok := c.classes[name]
	switch {
	case !ok:
		return spec, append(notes, fmt.Sprintf("RuntimeClass %s is not in the release: what it adds to the pod's node selector and tolerations is not known", name))
	case k.broken != nil:
		return spec, append(notes, fmt.Sprintf("RuntimeClass %s cannot be read: %v", name, k.broken))
	}
	spec.Overhead = k.overhead
	if k.scheduling == nil {
		return spec, notes
	}
	if spec.NodeSelector == nil {
		spec.NodeSelector = map[string]string{}
	}
	for key, value := range k.scheduling.NodeSelector {
		if has, ok := spec.NodeSelector[key]; ok && has != value {
			notes = append(notes, fmt.Sprintf("RuntimeClass %s asks for %s=%s and the pod for %s: the cluster refuses such a pod", name, key, value, has))
			continue
		}
		spec.NodeSelector[key] = value
	}
	spec.Tolerations = append(spec.Tolerations, k.scheduling.Tolerations...)
	return spec, notes
}

// daemon are the tolerations that the DaemonSet controller adds
// (https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations).
var daemon = []corev1.Toleration{
	{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
}

// hostNetworkDaemon is the one that it adds to pods on the host's network: such pods bring a node
// the network of all others.
var hostNetworkDaemon = corev1.Toleration{Key: corev1.TaintNodeNetworkUnavailable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}
