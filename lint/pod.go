package lint

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// pod is a pod of a manifest as the rules look at it.
type pod struct {
	*workload.Pod
	object      int // its number among the objects
	spec        *corev1.PodSpec
	annotations map[string]string
	systems     []string // the systems it is for, as far as it says
	kpack       bool     // kpack makes the pod, and chooses its system
}

// newPod returns the pod of an object as a cluster admits it.
func newPod(n int, o workload.Object, classes workload.RuntimeClasses) *pod {
	spec, _ := o.Admitted(classes)
	return &pod{
		Pod: o.Pod, object: n, spec: spec, annotations: o.Pod.Meta.Annotations,
		systems: systems(spec), kpack: o.Pod.Kind != workload.Template,
	}
}

// check calls found for every rule that the pod breaks.
func (p *pod) check(found func(r Rule, what string, path ...any)) {
	for _, r := range rules {
		if r.find != nil && r.about(p.systems) {
			r.find(p, func(what string, path ...any) { found(r, what, path...) })
		}
	}
}

// named reports whether spec.os.name is the system.
func (p *pod) named(os string) bool { return p.spec.OS != nil && string(p.spec.OS.Name) == os }

// place returns the path of a field within the document, and where it stands. In metadata it is
// one that a key names: an annotation.
func (p *pod) place(path []any) (string, yamlfile.Pos) {
	if len(path) == 3 && path[0] == metadata {
		return fmt.Sprintf("%s.%s[%q]", p.MetaPath, path[1], path[2]), p.MetaAt(path[1:]...)
	}
	return p.Path(path...), p.At(path...)
}
