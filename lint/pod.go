package lint

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
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

// check calls report for every place of the pod that breaks a rule.
func (p *pod) check(report func(r Rule, what string, path ...any)) {
	for _, r := range rules {
		if r.check != nil && r.about(p.os) {
			r.check(p, func(what string, path ...any) { report(r, what, path...) })
		}
	}
}

// named reports whether spec.os.name is the operating system.
func (p *pod) named(os string) bool { return p.spec.OS != nil && string(p.spec.OS.Name) == os }

// place returns path and position of a field. A path that starts with [metadata] leads to an
// annotation or label.
func (p *pod) place(path []any) (string, yamlfile.Pos) {
	if len(path) == 3 && path[0] == metadata {
		return fmt.Sprintf("%s.%s[%q]", p.MetaPath, path[1], path[2]), p.MetaAt(path[1:]...)
	}
	return p.Path(path...), p.At(path...)
}
