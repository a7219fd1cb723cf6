package workload

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type gvk struct{ apiVersion, kind string }

// maker is a kind that makes pods.
type maker struct {
	kind PodKind
	path []any // of the pod template, of a Pod the object itself; of kpack's kinds the path of the fields they carry
	read func(o Object, m maker) (*Pod, []error)
}

var template = []any{"spec", "template"}

// makers are the kinds that make pods, in the versions that current clusters serve.
var makers = map[gvk]maker{
	{"v1", "Pod"}: {read: read(func(o *corev1.Pod) *corev1.PodTemplateSpec {
		return &corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
	})},
	{"v1", "PodTemplate"}:           {path: []any{"template"}, read: read(func(o *corev1.PodTemplate) *corev1.PodTemplateSpec { return &o.Template })},
	{"v1", "ReplicationController"}: {path: template, read: read(func(o *corev1.ReplicationController) *corev1.PodTemplateSpec { return o.Spec.Template })},
	{"apps/v1", "Deployment"}:       {path: template, read: read(func(o *appsv1.Deployment) *corev1.PodTemplateSpec { return &o.Spec.Template })},
	{"apps/v1", "StatefulSet"}:      {path: template, read: read(func(o *appsv1.StatefulSet) *corev1.PodTemplateSpec { return &o.Spec.Template })},
	{"apps/v1", "DaemonSet"}:        {path: template, read: read(func(o *appsv1.DaemonSet) *corev1.PodTemplateSpec { return &o.Spec.Template })},
	{"apps/v1", "ReplicaSet"}:       {path: template, read: read(func(o *appsv1.ReplicaSet) *corev1.PodTemplateSpec { return &o.Spec.Template })},
	{"batch/v1", "Job"}:             {path: template, read: read(func(o *batchv1.Job) *corev1.PodTemplateSpec { return &o.Spec.Template })},
	{"batch/v1", "CronJob"}: {
		path: []any{"spec", "jobTemplate", "spec", "template"},
		read: read(func(o *batchv1.CronJob) *corev1.PodTemplateSpec { return &o.Spec.JobTemplate.Spec.Template }),
	},
	{"kpack.io/v1alpha1", "Image"}: {kind: KpackImage, path: []any{"spec", "build"}, read: readCarried},
	{"kpack.io/v1alpha2", "Image"}: {kind: KpackImage, path: []any{"spec", "build"}, read: readCarried},
	{"kpack.io/v1alpha1", "Build"}: {kind: KpackBuild, path: []any{"spec"}, read: readCarried},
	{"kpack.io/v1alpha2", "Build"}: {kind: KpackBuild, path: []any{"spec"}, read: readCarried},
}

// readPod reads what an object makes pods of: nil for kinds that make none.
func readPod(o Object) (*Pod, []error) {
	m, ok := makers[gvk{o.APIVersion, o.Kind}]
	if !ok {
		if err := unserved(o); err != nil {
			return nil, []error{err}
		}
		return nil, nil
	}
	return m.read(o, m)
}

// read returns a reader of a built-in kind.
func read[T any](get func(*T) *corev1.PodTemplateSpec) func(Object, maker) (*Pod, []error) {
	return func(o Object, m maker) (*Pod, []error) {
		object := new(T)
		if errs := decode(o, object); errs != nil {
			return nil, errs
		}
		t := get(object)
		if t == nil {
			return nil, nil // a ReplicationController may have no template, and makes no pods then
		}
		p := newPod(o, m, append(slices.Clone(m.path), "spec"))
		p.Meta, p.Spec = t.ObjectMeta, t.Spec
		meta := append(slices.Clone(m.path), "metadata")
		p.MetaPath = join(o.Path, meta...)
		p.meta = nodeAt(o.Node, meta)
		return p, nil
	}
}

func newPod(o Object, m maker, spec []any) *Pod {
	return &Pod{Kind: m.kind, SpecPath: join(o.Path, spec...), file: o.File, object: o.Node, spec: nodeAt(o.Node, spec)}
}

// unserved reports a version of a kind that makes pods which current clusters do not serve: its pods would otherwise pass unseen.
func unserved(o Object) error {
	group, _, _ := strings.Cut(o.APIVersion, "/")
	var versions []string
	for known := range makers {
		g, _, _ := strings.Cut(known.apiVersion, "/")
		if known.kind == o.Kind && (g == group || group == "extensions") {
			versions = append(versions, known.apiVersion)
		}
	}
	if len(versions) == 0 {
		return nil
	}
	slices.Sort(versions)
	return errorAt(pos(o.File, value(o.Node, "apiVersion")), "%s: apiVersion %s is not one that current clusters serve: use %s", o, o.APIVersion, strings.Join(versions, " or "))
}

// carried is what kpack's Image (in spec.build) and Build (in spec) hand on to the build pod, or what of them says what it needs. The
// rest of their fields is kpack's own affair.
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
