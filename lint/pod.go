package lint

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/render/workload"
)

// pod is a pod of a manifest as the rules see it.
type pod struct {
	*workload.Pod
	object      int             // its number among the objects
	spec        *corev1.PodSpec // as a cluster admits it
	annotations map[string]string
	os          []string // the operating systems that it is for, as far as it states them
	kpack       bool     // kpack makes the pod and chooses its operating system
	static      bool     // a kubelet of the control plane starts the Pod from a file
}

func newPod(n int, o workload.Object, classes workload.RuntimeClasses) *pod {
	spec, _ := o.Admitted(classes)
	return &pod{
		Pod: o.Pod, object: n, spec: spec, annotations: o.Pod.Meta.Annotations,
		os: workload.RunsOn(spec), kpack: o.Pod.Kind != workload.Template,
		static: o.Kind == "Pod" && o.Pod.Meta.Labels["tier"] == "control-plane", // as kubeadm labels them
	}
}

// problems returns every place of the pod that breaks a rule about its fields.
func (p *pod) problems() (all []problem) {
	for _, r := range rules {
		if r.check != nil && r.about(p.os) {
			severity := r.severity(p)
			r.check(p, func(what string, path ...any) {
				all = append(all, problem{
					place: p.place(path), rule: r.ID, what: what,
					severity: severity, folds: r.Folds || severity != r.Severity,
				})
			})
		}
	}
	return all
}

// named reports whether spec.os.name is the operating system.
func (p *pod) named(os string) bool { return p.spec.OS != nil && string(p.spec.OS.Name) == os }

// place returns the place of a field. A path that starts with [metadata] leads to an annotation or
// label.
func (p *pod) place(path []any) place {
	if len(path) == 3 && path[0] == metadata {
		return place{p.object, fmt.Sprintf("%s.%s[%q]", p.MetaPath, path[1], path[2]), p.MetaAt(path[1:]...)}
	}
	return place{p.object, p.Path(path...), p.At(path...)}
}
