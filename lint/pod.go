package lint

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
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

// newPod takes a pod with what its RuntimeClass adds where the manifest has that, too: its node
// selector and tolerations.
func newPod(n int, o workload.Object, classes map[string]scheduling) *pod {
	spec := o.Pod.Spec.DeepCopy()
	if name := spec.RuntimeClassName; name != nil {
		classes[*name].apply(spec)
	}
	return &pod{
		Pod: o.Pod, object: n, spec: spec, annotations: o.Pod.Meta.Annotations,
		systems: systems(spec), kpack: o.Pod.Kind != workload.Template,
	}
}

// scheduling is what a RuntimeClass says of the nodes that have it.
type scheduling struct {
	NodeSelector map[string]string `yaml:"nodeSelector"`
	Tolerations  []toleration      `yaml:"tolerations"`
}

type toleration struct {
	Key      string                    `yaml:"key"`
	Operator corev1.TolerationOperator `yaml:"operator"`
	Value    string                    `yaml:"value"`
	Effect   corev1.TaintEffect        `yaml:"effect"`
}

// runtimeClasses returns the runtime classes of a manifest by name.
func runtimeClasses(objects []workload.Object) map[string]scheduling {
	classes := map[string]scheduling{}
	for _, o := range objects {
		if o.Kind != "RuntimeClass" {
			continue
		}
		var class struct {
			Scheduling scheduling `yaml:"scheduling"`
		}
		if err := o.Node.Decode(&class); err == nil {
			classes[o.Name] = class.Scheduling
		}
	}
	return classes
}

// apply does to a pod what Kubernetes does when it admits the pod.
func (s scheduling) apply(spec *corev1.PodSpec) {
	for k, v := range s.NodeSelector {
		if _, own := spec.NodeSelector[k]; own {
			// the two must agree, or Kubernetes refuses the pod; what the pod itself says is what
			// can be shown
			continue
		}
		if spec.NodeSelector == nil {
			spec.NodeSelector = map[string]string{}
		}
		spec.NodeSelector[k] = v
	}
	for _, t := range s.Tolerations {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: t.Key, Operator: t.Operator, Value: t.Value, Effect: t.Effect})
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

// tolerates reports whether the pod may run on a node with a taint.
func (p *pod) tolerates(taint corev1.Taint) bool {
	return slices.ContainsFunc(p.spec.Tolerations, func(t corev1.Toleration) bool {
		return (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == "" || t.Key == taint.Key) &&
			(t.Operator == corev1.TolerationOpExists || (t.Operator == "" || t.Operator == corev1.TolerationOpEqual) && t.Value == taint.Value)
	})
}

// named reports whether spec.os.name is the system.
func (p *pod) named(os string) bool { return p.spec.OS != nil && string(p.spec.OS.Name) == os }

// place returns the path of a field within the document, and where it stands. In metadata it is
// one that a key names: an annotation.
func (p *pod) place(path []any) (string, workload.Pos) {
	if len(path) == 3 && path[0] == metadata {
		return fmt.Sprintf("%s.%s[%q]", p.MetaPath, path[1], path[2]), p.MetaAt(path[1:]...)
	}
	return p.Path(path...), p.At(path...)
}
