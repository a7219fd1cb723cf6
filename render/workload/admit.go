package workload

import (
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
)

// RuntimeClasses are the RuntimeClasses of a manifest by name.
type RuntimeClasses map[string]runtimeClass

// runtimeClass is what a RuntimeClass adds to the pods that name it.
type runtimeClass struct {
	scheduling *nodev1.Scheduling
	overhead   corev1.ResourceList
	err        error // the class cannot be decoded
}

// NewRuntimeClasses collects the RuntimeClasses among objects.
func NewRuntimeClasses(objects []Object) RuntimeClasses {
	all := RuntimeClasses{}
	for _, o := range objects {
		if o.APIVersion != "node.k8s.io/v1" || o.Kind != "RuntimeClass" {
			continue
		}
		c := runtimeClass{}
		if rc, ok := o.Typed.(*nodev1.RuntimeClass); ok {
			c.scheduling = rc.Scheduling
			if rc.Overhead != nil {
				c.overhead = rc.Overhead.PodFixed
			}
		}
		if len(o.Faults) > 0 {
			f := o.Faults[0]
			c.err = fmt.Errorf("%s: %s: %s", f.Pos, o, f)
		}
		all[o.Name] = c
	}
	return all
}

// Admitted returns a copy of the spec of the object's pod with what a cluster adds before it
// schedules the pod: the tolerations of the DaemonSet controller, and overhead, node selector and
// tolerations of the RuntimeClass. The notes name additions that the manifest does not determine.
func (o Object) Admitted(classes RuntimeClasses) (spec *corev1.PodSpec, notes []string) {
	spec = o.Pod.Spec.DeepCopy()
	if o.Kind == "DaemonSet" {
		spec.Tolerations = append(spec.Tolerations, daemonTolerations...)
		if spec.HostNetwork {
			spec.Tolerations = append(spec.Tolerations, hostNetworkToleration)
		}
	}
	if spec.SchedulerName != "" && spec.SchedulerName != corev1.DefaultSchedulerName {
		notes = append(notes, fmt.Sprintf("schedulerName is %s, which may decide otherwise than the default scheduler",
			spec.SchedulerName))
	}
	if spec.RuntimeClassName == nil || *spec.RuntimeClassName == "" {
		return spec, notes
	}
	name := *spec.RuntimeClassName
	c, ok := classes[name]
	switch {
	case !ok:
		return spec, append(notes,
			fmt.Sprintf("RuntimeClass %s is not in the release: "+
				"what it adds to the pod's node selector and tolerations is not known", name))
	case c.err != nil:
		return spec, append(notes, fmt.Sprintf("RuntimeClass %s cannot be read: %v", name, c.err))
	}
	return spec, append(notes, c.apply(name, spec)...)
}

// apply adds to the spec what the RuntimeClass admission controller adds. That controller refuses
// a pod whose own node selector contradicts the class: the pod's value is kept and noted.
func (c runtimeClass) apply(name string, spec *corev1.PodSpec) (notes []string) {
	spec.Overhead = c.overhead
	if c.scheduling == nil {
		return nil
	}
	if spec.NodeSelector == nil {
		spec.NodeSelector = map[string]string{}
	}
	for key, value := range c.scheduling.NodeSelector {
		if has, ok := spec.NodeSelector[key]; ok && has != value {
			notes = append(notes,
				fmt.Sprintf("RuntimeClass %s asks for %s=%s and the pod for %s: the cluster refuses such a pod",
					name, key, value, has))
			continue
		}
		spec.NodeSelector[key] = value
	}
	spec.Tolerations = append(spec.Tolerations, c.scheduling.Tolerations...)
	return notes
}

// daemonTolerations are those that the DaemonSet controller adds
// (https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations).
var daemonTolerations = []corev1.Toleration{
	{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
}

// hostNetworkToleration is added by the controller to pods on the host's network, which often
// provide the network of all others.
var hostNetworkToleration = corev1.Toleration{
	Key:      corev1.TaintNodeNetworkUnavailable,
	Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
}

// Tolerates reports whether a pod tolerates a taint. An operator that the cluster does not know
// is an error when the manifest is applied.
func Tolerates(spec *corev1.PodSpec, taint corev1.Taint) bool {
	return scheduling.TolerationsTolerateTaint(logr.Discard(), spec.Tolerations, &taint, true)
}
