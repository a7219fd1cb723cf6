package workload

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// carried is what kpack's Image (in spec.build) and Build (in spec) hand on to the build pod, or
// what of them says what it needs. The rest of their fields is kpack's own affair.
type carried struct {
	Services          []corev1.ObjectReference    `json:"services"`
	Resources         corev1.ResourceRequirements `json:"resources"`
	Tolerations       []corev1.Toleration         `json:"tolerations"`
	NodeSelector      map[string]string           `json:"nodeSelector"`
	Affinity          *corev1.Affinity            `json:"affinity"`
	RuntimeClassName  *string                     `json:"runtimeClassName"`
	SchedulerName     string                      `json:"schedulerName"`
	PriorityClassName string                      `json:"priorityClassName"`
}

// readCarried reads a kind of kpack, whose fields that are not carried are passed over.
func readCarried(o Object, m maker) (*Pod, []error) {
	p := newPod(o, m, m.path)
	if p.spec == nil {
		return p, nil
	}
	c, errs := decodeCarried(o, m.path, p.spec)
	if errs != nil {
		return nil, errs
	}
	p.Resources, p.Services = c.Resources, c.Services
	p.Spec = corev1.PodSpec{
		NodeSelector: c.NodeSelector, Tolerations: c.Tolerations, Affinity: c.Affinity, RuntimeClassName: c.RuntimeClassName,
		SchedulerName: c.SchedulerName, PriorityClassName: c.PriorityClassName,
	}
	p.Meta = metav1.ObjectMeta{Namespace: o.Namespace}
	return p, nil
}
