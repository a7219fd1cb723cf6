package workload

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// builtin has the kinds of Kubernetes that a release usually has, in the versions that current
// clusters serve.
var builtin = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, autoscalingv1.AddToScheme, autoscalingv2.AddToScheme,
		batchv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme,
		policyv1.AddToScheme,
		rbacv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err) // two kinds of one name: a mistake in this list
		}
	}
	return s
})

type gvk struct{ apiVersion, kind string }

// podKind is a kind whose objects make pods.
type podKind struct {
	maker PodKind
	// path of the pod template, empty for a Pod; of kpack's kinds the path of the fields that
	// kpack copies to the build pod
	path []any
	// template returns the pod template of a decoded object; nil for kpack's kinds
	template func(object any) *corev1.PodTemplateSpec
}

// podKinds are the kinds that make pods, in the versions that current clusters serve.
var podKinds = map[gvk]podKind{
	{"v1", "Pod"}: template(func(o *corev1.Pod) *corev1.PodTemplateSpec {
		return &corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
	}),
	{"v1", "PodTemplate"}: template(func(o *corev1.PodTemplate) *corev1.PodTemplateSpec {
		return &o.Template
	}, "template"),
	{"v1", "ReplicationController"}: template(func(o *corev1.ReplicationController) *corev1.PodTemplateSpec {
		return o.Spec.Template
	}, "spec", "template"),
	{"apps/v1", "Deployment"}: template(func(o *appsv1.Deployment) *corev1.PodTemplateSpec { return &o.Spec.Template },
		"spec", "template"),
	{"apps/v1", "StatefulSet"}: template(func(o *appsv1.StatefulSet) *corev1.PodTemplateSpec {
		return &o.Spec.Template
	}, "spec", "template"),
	{"apps/v1", "DaemonSet"}: template(func(o *appsv1.DaemonSet) *corev1.PodTemplateSpec { return &o.Spec.Template },
		"spec", "template"),
	{"apps/v1", "ReplicaSet"}: template(func(o *appsv1.ReplicaSet) *corev1.PodTemplateSpec { return &o.Spec.Template },
		"spec", "template"),
	{"batch/v1", "Job"}: template(func(o *batchv1.Job) *corev1.PodTemplateSpec { return &o.Spec.Template },
		"spec", "template"),
	{"batch/v1", "CronJob"}: template(func(o *batchv1.CronJob) *corev1.PodTemplateSpec {
		return &o.Spec.JobTemplate.Spec.Template
	},
		"spec", "jobTemplate", "spec", "template"),
	{"kpack.io/v1alpha1", "Image"}: {maker: KpackImage, path: []any{"spec", "build"}},
	{"kpack.io/v1alpha2", "Image"}: {maker: KpackImage, path: []any{"spec", "build"}},
	{"kpack.io/v1alpha1", "Build"}: {maker: KpackBuild, path: []any{"spec"}},
	{"kpack.io/v1alpha2", "Build"}: {maker: KpackBuild, path: []any{"spec"}},
}

// template is a built-in kind with the pod template at a path.
func template[T any](get func(*T) *corev1.PodTemplateSpec, path ...any) podKind {
	return podKind{path: path, template: func(object any) *corev1.PodTemplateSpec { return get(object.(*T)) }}
}

// SpecPath returns the keys that lead to the pods' spec in objects of a built-in kind, nil for
// kinds that make no pods.
func SpecPath(kind string) []string {
	for k, p := range podKinds {
		if k.kind != kind || p.template == nil {
			continue
		}
		var keys []string
		for _, key := range p.path {
			keys = append(keys, key.(string))
		}
		return append(keys, "spec")
	}
	return nil
}

// IsList reports whether the items of a kind are objects: those of a v1 List and of a list such as
// DeploymentList.
func IsList(apiVersion, kind string) bool {
	if kind == "List" {
		return apiVersion == "v1"
	}
	_, makesPods := podKinds[gvk{apiVersion, strings.TrimSuffix(kind, "List")}]
	return strings.HasSuffix(kind, "List") &&
		(makesPods || builtin().Recognizes(schema.FromAPIVersionAndKind(apiVersion, kind)))
}

// isBuiltin reports whether an apiVersion is of a group of builtin, or of one that Kubernetes had.
func isBuiltin(apiVersion string) bool {
	group, _, versioned := strings.Cut(apiVersion, "/")
	return !versioned || group == "extensions" || builtin().IsGroupRegistered(group)
}

// early are the kinds of builtin's groups that a maintained version of Kubernetes has in an alpha
// or beta version, which clusters may serve. Their fields are not checked. test/lint compares the
// list with the types of Kubernetes' client, which are too many to be part of the program for it.
var early = []schema.GroupVersionKind{
	{Group: "admissionregistration.k8s.io", Version: "v1alpha1", Kind: "MutatingAdmissionPolicy"},
	{Group: "admissionregistration.k8s.io", Version: "v1alpha1", Kind: "MutatingAdmissionPolicyBinding"},
	{Group: "admissionregistration.k8s.io", Version: "v1beta1", Kind: "MutatingAdmissionPolicy"},
	{Group: "admissionregistration.k8s.io", Version: "v1beta1", Kind: "MutatingAdmissionPolicyBinding"},
	{Group: "coordination.k8s.io", Version: "v1alpha2", Kind: "LeaseCandidate"},
	{Group: "coordination.k8s.io", Version: "v1beta1", Kind: "LeaseCandidate"},
	{Group: "networking.k8s.io", Version: "v1beta1", Kind: "IPAddress"},
	{Group: "networking.k8s.io", Version: "v1beta1", Kind: "ServiceCIDR"},
	{Group: "scheduling.k8s.io", Version: "v1beta1", Kind: "PodGroup"},
	{Group: "scheduling.k8s.io", Version: "v1beta1", Kind: "Workload"},
	{Group: "storage.k8s.io", Version: "v1beta1", Kind: "VolumeAttributesClass"},
}

// isEarly reports whether a kind, or what its list has, is one of early.
func isEarly(id schema.GroupVersionKind) bool {
	id.Kind = strings.TrimSuffix(id.Kind, "List")
	return slices.Contains(early, id)
}

// unserved returns the problem of a kind or version that belongs to a group of podKinds or
// builtin and is in neither: its objects, and pods, would otherwise be skipped. The result is ""
// for kinds of other groups.
func unserved(apiVersion, kind string) string {
	group, _, versioned := strings.Cut(apiVersion, "/")
	if !versioned {
		group = ""
	}
	kubernetes := isBuiltin(apiVersion)
	if kubernetes && isEarly(schema.FromAPIVersionAndKind(apiVersion, kind)) {
		return ""
	}
	var versions []string
	for k := range podKinds {
		if g, _, _ := strings.Cut(k.apiVersion, "/"); k.kind == kind && g == group {
			versions = append(versions, k.apiVersion)
		}
	}
	for _, v := range builtin().PrioritizedVersionsAllGroups() {
		if kubernetes && builtin().Recognizes(v.WithKind(kind)) {
			versions = append(versions, v.String())
		}
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	switch {
	case len(versions) > 0:
		return fmt.Sprintf("current clusters do not serve apiVersion %s: use %s",
			apiVersion, strings.Join(versions, " or "))
	case kubernetes && kind == "PodSecurityPolicy":
		return "Kubernetes 1.25 removed PodSecurityPolicy: label namespaces for Pod Security admission instead"
	case kubernetes:
		return fmt.Sprintf("Kubernetes has no kind %s in %s: correct kind or apiVersion", kind, apiVersion)
	}
	return ""
}
