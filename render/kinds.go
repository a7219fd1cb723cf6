package render

import (
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
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
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// builtin holds the kinds of Kubernetes that a release usually has, in the versions that current
// clusters serve.
var builtin = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme, policyv1.AddToScheme,
		rbacv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err) // two kinds of one name: a mistake in this list
		}
	}
	return s
}()

// decode reads a document into its Kubernetes type, as strictly as an apiserver with field
// validation does: the findings name fields that the type does not have. The object is nil for
// kinds that are not in builtin, such as custom resources.
func decode(d Document) (obj runtime.Object, findings []string, err error) {
	gv, err := schema.ParseGroupVersion(d.APIVersion)
	if err != nil {
		return nil, nil, err
	}
	gvk := gv.WithKind(d.Kind)
	if !builtin.Recognizes(gvk) {
		return nil, nil, unserved(gvk)
	}
	y, err := d.bytes()
	if err != nil {
		return nil, nil, err
	}
	j, err := yaml.YAMLToJSONStrict(y)
	if err != nil {
		return nil, nil, err
	}
	obj, err = builtin.New(gvk)
	if err != nil {
		return nil, nil, err
	}
	strict, err := kjson.UnmarshalStrict(j, obj)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range strict {
		findings = append(findings, e.Error())
	}
	return obj, findings, nil
}

// isList reports whether a document is a list of objects: a v1 List, or such as DeploymentList.
func isList(d Document) bool {
	gv, err := schema.ParseGroupVersion(d.APIVersion)
	return err == nil && strings.HasSuffix(d.Kind, "List") && builtin.Recognizes(gv.WithKind(d.Kind))
}

// unserved reports a kind or version that Kubernetes does not serve (any more), whose pods would
// otherwise pass unseen.
func unserved(gvk schema.GroupVersionKind) error {
	if gvk.Group != "extensions" && !builtin.IsGroupRegistered(gvk.Group) {
		return nil
	}
	var versions []string
	for _, v := range builtin.PrioritizedVersionsAllGroups() {
		if known := v.WithKind(gvk.Kind); builtin.Recognizes(known) {
			versions = append(versions, v.String())
		}
	}
	if len(versions) == 0 {
		return fmt.Errorf("kind %s of %s is not one that Kubernetes has: correct kind or apiVersion", gvk.Kind, gvk.GroupVersion())
	}
	return fmt.Errorf("apiVersion %s is not one that current clusters serve: use %s", gvk.GroupVersion(), strings.Join(versions, " or "))
}
