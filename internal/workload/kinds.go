package workload

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

type gvk struct{ apiVersion, kind string }

// maker is a kind that makes pods.
type maker struct {
	kind PodKind
	// of the pod template, of a Pod the object itself; of kpack's kinds the path of the fields
	// they carry
	path []any
	read func(o Object, m maker) (*Pod, []error)
	// template returns the pod template of a decoded object, nil for an object of another kind;
	// kpack's kinds have none.
	template func(object any) *corev1.PodTemplateSpec
}

// makers are the kinds that make pods, in the versions that current clusters serve.
var makers = map[gvk]maker{
	{"v1", "Pod"}: builtin(func(o *corev1.Pod) *corev1.PodTemplateSpec {
		return &corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
	}),
	{"v1", "PodTemplate"}:           builtin(func(o *corev1.PodTemplate) *corev1.PodTemplateSpec { return &o.Template }, "template"),
	{"v1", "ReplicationController"}: builtin(func(o *corev1.ReplicationController) *corev1.PodTemplateSpec { return o.Spec.Template }, "spec", "template"),
	{"apps/v1", "Deployment"}:       builtin(func(o *appsv1.Deployment) *corev1.PodTemplateSpec { return &o.Spec.Template }, "spec", "template"),
	{"apps/v1", "StatefulSet"}:      builtin(func(o *appsv1.StatefulSet) *corev1.PodTemplateSpec { return &o.Spec.Template }, "spec", "template"),
	{"apps/v1", "DaemonSet"}:        builtin(func(o *appsv1.DaemonSet) *corev1.PodTemplateSpec { return &o.Spec.Template }, "spec", "template"),
	{"apps/v1", "ReplicaSet"}:       builtin(func(o *appsv1.ReplicaSet) *corev1.PodTemplateSpec { return &o.Spec.Template }, "spec", "template"),
	{"batch/v1", "Job"}:             builtin(func(o *batchv1.Job) *corev1.PodTemplateSpec { return &o.Spec.Template }, "spec", "template"),
	{"batch/v1", "CronJob"}: builtin(func(o *batchv1.CronJob) *corev1.PodTemplateSpec { return &o.Spec.JobTemplate.Spec.Template },
		"spec", "jobTemplate", "spec", "template"),
	{"kpack.io/v1alpha1", "Image"}: {kind: KpackImage, path: []any{"spec", "build"}, read: readCarried},
	{"kpack.io/v1alpha2", "Image"}: {kind: KpackImage, path: []any{"spec", "build"}, read: readCarried},
	{"kpack.io/v1alpha1", "Build"}: {kind: KpackBuild, path: []any{"spec"}, read: readCarried},
	{"kpack.io/v1alpha2", "Build"}: {kind: KpackBuild, path: []any{"spec"}, read: readCarried},
}

// builtin is a kind of Kubernetes' own, with the pod template at a path.
func builtin[T any](get func(*T) *corev1.PodTemplateSpec, path ...any) maker {
	return maker{path: path, read: read(get), template: func(object any) *corev1.PodTemplateSpec {
		if o, ok := object.(*T); ok {
			return get(o)
		}
		return nil
	}}
}

// PodTemplate returns the template of the pods that a decoded object of Kubernetes' own kinds
// makes, of a Pod its metadata and spec; nil where it makes none.
func PodTemplate(object any) *corev1.PodTemplateSpec {
	for _, m := range makers {
		if m.template == nil {
			continue
		}
		if t := m.template(object); t != nil {
			return t
		}
	}
	return nil
}

// SpecPath returns the keys that lead to the pods' spec in objects of a kind of Kubernetes' own,
// nil for kinds that make no pods.
func SpecPath(kind string) []string {
	for k, m := range makers {
		if k.kind != kind || m.template == nil {
			continue
		}
		var keys []string
		for _, p := range m.path {
			keys = append(keys, p.(string))
		}
		return append(keys, "spec")
	}
	return nil
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

// unserved reports a version of a kind that makes pods which current clusters do not serve: its
// pods would otherwise pass unseen.
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
