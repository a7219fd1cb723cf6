package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func find(list []*unstructured.Unstructured, kind, name string) (*unstructured.Unstructured, error) {
	for _, o := range list {
		if o.GetKind() == kind && o.GetName() == name {
			return o, nil
		}
	}
	return nil, fmt.Errorf("the release has no %s %s", kind, name)
}

// container returns the only container of a Deployment, to be changed in place.
func container(list []*unstructured.Unstructured, deployment string) (map[string]any, error) {
	o, err := find(list, "Deployment", deployment)
	if err != nil {
		return nil, err
	}
	pod := o.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	return pod["containers"].([]any)[0].(map[string]any), nil
}

// swapped names an image of the release in the place of another.
func swapped(configMap,
	image string,
) func(testing.TB, *release, []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return func(t testing.TB, r *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		o, err := find(list, "ConfigMap", configMap)
		if err != nil {
			return nil, err
		}
		return list, unstructured.SetNestedField(o.Object, r.image(t, image), "data", "image")
	}
}

func droppedVariable(_ testing.TB,
	_ *release, list []*unstructured.Unstructured,
) ([]*unstructured.Unstructured, error) {
	c, err := container(list, "kpack-controller")
	if err != nil {
		return nil, err
	}
	env := c["env"].([]any)
	c["env"] = slices.DeleteFunc(slices.Clone(env), func(v any) bool {
		return v.(map[string]any)["name"] == "COMPLETION_WINDOWS_IMAGE"
	})
	if len(c["env"].([]any)) != len(env)-1 {
		return nil, fmt.Errorf("the controller has no COMPLETION_WINDOWS_IMAGE")
	}
	return list, nil
}

func unpinnedController(_ testing.TB, r *release,
	list []*unstructured.Unstructured,
) ([]*unstructured.Unstructured, error) {
	c, err := container(list, "kpack-controller")
	if err != nil {
		return nil, err
	}
	repository, _, _ := strings.Cut(c["image"].(string), "@")
	c["image"] = repository + ":" + r.lock.Version
	return list, nil
}

func missingConfigMap(_ testing.TB,
	_ *release, list []*unstructured.Unstructured,
) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "ConfigMap", "build-waiter-image")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(other *unstructured.Unstructured) bool { return other == o }), nil
}

// missingRule takes a resource out of what the controller may do.
func missingRule(
	resource string,
) func(testing.TB, *release, []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return func(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		o, err := find(list, "ClusterRole", "kpack-controller-admin")
		if err != nil {
			return nil, err
		}
		found := false
		for _, r := range o.Object["rules"].([]any) {
			rule := r.(map[string]any)
			left := slices.DeleteFunc(slices.Clone(rule["resources"].([]any)), func(other any) bool {
				return other == resource
			})
			found = found || len(left) < len(rule["resources"].([]any))
			rule["resources"] = left
		}
		if !found {
			return nil, fmt.Errorf("%s has no rule for %s", o.GetName(), resource)
		}
		o.Object["rules"] = slices.DeleteFunc(o.Object["rules"].([]any), func(r any) bool {
			return len(r.(map[string]any)["resources"].([]any)) == 0
		})
		return list, nil
	}
}

func unknownField(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "Deployment", "kpack-webhook")
	if err != nil {
		return nil, err
	}
	return list, unstructured.SetNestedField(o.Object, int64(2), "spec", "replica")
}

// noValidation keeps the webhook from what users do in their namespaces.
func noValidation(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "ValidatingWebhookConfiguration", "validation.webhook.kpack.io")
	if err != nil {
		return nil, err
	}
	o.Object["webhooks"].([]any)[0].(map[string]any)["objectSelector"] = map[string]any{"matchLabels": map[string]any{"slipway.test/never": "set"}}
	return list, nil
}

// noConversion lets the apiserver serve old versions of an Image with the fields of the new one.
func noConversion(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "CustomResourceDefinition", "images.kpack.io")
	if err != nil {
		return nil, err
	}
	return list, unstructured.SetNestedField(o.Object, map[string]any{"strategy": "None"}, "spec", "conversion")
}

// root lets the webhook run as root, which Pod Security forbids in the release's namespace.
func root(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "Deployment", "kpack-webhook")
	if err != nil {
		return nil, err
	}
	if err := unstructured.SetNestedField(o.Object, false, "spec", "template", "spec", "securityContext", "runAsNonRoot"); err != nil {
		return nil, err
	}
	c, err := container(list, "kpack-webhook")
	if err != nil {
		return nil, err
	}
	return list, unstructured.SetNestedField(c, false, "securityContext", "runAsNonRoot")
}
