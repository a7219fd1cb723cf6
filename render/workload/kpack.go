package workload

import (
	"reflect"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// buildPodFields are the fields of kpack's Image (in spec.build) and Build (in spec) that kpack
// copies to the build pod. kpack uses the other fields itself.
type buildPodFields struct {
	Services          []corev1.ObjectReference    `json:"services"`
	Resources         corev1.ResourceRequirements `json:"resources"`
	Tolerations       []corev1.Toleration         `json:"tolerations"`
	NodeSelector      map[string]string           `json:"nodeSelector"`
	Affinity          *corev1.Affinity            `json:"affinity"`
	RuntimeClassName  *string                     `json:"runtimeClassName"`
	SchedulerName     string                      `json:"schedulerName"`
	PriorityClassName string                      `json:"priorityClassName"`
}

// decodeBuild reads the fields of the build pod strictly and skips all others.
func (o *Object) decodeBuild(k podKind) {
	p := newPod(*o, k, k.path)
	p.Meta = metav1.ObjectMeta{Namespace: o.Namespace}
	f := &buildPodFields{}
	switch n := p.spec; {
	case n == nil || n.Tag == "!!null":
	case n.Kind != yaml.MappingNode:
		o.fault(n, k.path, "this is not a group of fields")
		return
	default:
		copied := *n
		copied.Content = nil
		t := reflect.TypeFor[buildPodFields]()
		for i := range t.NumField() {
			if key, v := yamlfile.Field(n, t.Field(i).Tag.Get("json")); key != nil {
				copied.Content = append(copied.Content, key, v)
			}
		}
		if !o.decodeAt(&copied, k.path, f) {
			return
		}
	}
	p.Resources, p.Services = f.Resources, f.Services
	p.Spec = corev1.PodSpec{
		NodeSelector: f.NodeSelector, Tolerations: f.Tolerations, Affinity: f.Affinity,
		RuntimeClassName: f.RuntimeClassName,
		SchedulerName:    f.SchedulerName, PriorityClassName: f.PriorityClassName,
	}
	o.Pod = p
}
