package cluster

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
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
func swapped(configMap, image string) func(testing.TB, *release, []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return func(t testing.TB, r *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		o, err := find(list, "ConfigMap", configMap)
		if err != nil {
			return nil, err
		}
		return list, unstructured.SetNestedField(o.Object, r.image(t, image), "data", "image")
	}
}

func droppedVariable(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	c, err := container(list, "kpack-controller")
	if err != nil {
		return nil, err
	}
	env := c["env"].([]any)
	c["env"] = slices.DeleteFunc(slices.Clone(env), func(v any) bool { return v.(map[string]any)["name"] == "COMPLETION_WINDOWS_IMAGE" })
	if len(c["env"].([]any)) != len(env)-1 {
		return nil, fmt.Errorf("the controller has no COMPLETION_WINDOWS_IMAGE")
	}
	return list, nil
}

func unpinnedController(_ testing.TB, r *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	c, err := container(list, "kpack-controller")
	if err != nil {
		return nil, err
	}
	repository, _, _ := strings.Cut(c["image"].(string), "@")
	c["image"] = repository + ":" + r.lock.Version
	return list, nil
}

func missingConfigMap(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "ConfigMap", "build-waiter-image")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(other *unstructured.Unstructured) bool { return other == o }), nil
}

// noWindowsLifecycle pushes a lifecycle without its Windows layer, and has it in the lock, as if it had been built like that.
func noWindowsLifecycle(t testing.TB, r *release, _ []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	n, err := namespace.New()
	if err != nil {
		return nil, err
	}
	defer n.Close()
	s, err := serve(n, r.registry)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	ref, err := name.NewDigest(r.image(t, "lifecycle"))
	if err != nil {
		return nil, err
	}
	o := reach(background, n)
	whole, err := remote.Image(ref, o...)
	if err != nil {
		return nil, err
	}
	config, err := whole.ConfigFile()
	if err != nil {
		return nil, err
	}
	media, err := whole.MediaType()
	if err != nil {
		return nil, err
	}
	layers, err := whole.Layers()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(config.RootFS.DiffIDs, func(id v1.Hash) bool { return id.String() == config.Config.Labels["windows"] })
	if at < 0 {
		return nil, fmt.Errorf("the lifecycle has no layer for Windows")
	}
	config = config.DeepCopy()
	config.RootFS.DiffIDs, config.History = nil, nil
	delete(config.Config.Labels, "windows")
	img, err := mutate.ConfigFile(mutate.MediaType(empty.Image, media), config)
	if err != nil {
		return nil, err
	}
	if img, err = mutate.AppendLayers(img, slices.Delete(slices.Clone(layers), at, at+1)...); err != nil {
		return nil, err
	}
	digest, err := img.Digest()
	if err != nil {
		return nil, err
	}
	r.lock.Images[slices.IndexFunc(r.lock.Images, func(i lock.Image) bool { return i.Name == "lifecycle" })].Digest = digest
	if err := remote.Write(ref.Context().Digest(digest.String()), img, o...); err != nil {
		return nil, err
	}
	return decode(bytes.ReplaceAll(r.manifest, []byte(ref.DigestStr()), []byte(digest.String())))
}

func missingRule(_ testing.TB, _ *release, list []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	o, err := find(list, "ClusterRole", "kpack-controller-admin")
	if err != nil {
		return nil, err
	}
	rules := o.Object["rules"].([]any)
	o.Object["rules"] = slices.DeleteFunc(slices.Clone(rules), func(r any) bool {
		return slices.Contains(r.(map[string]any)["resources"].([]any), any("serviceaccounts"))
	})
	if len(o.Object["rules"].([]any)) != len(rules)-1 {
		return nil, fmt.Errorf("%s has no rule for serviceaccounts", o.GetName())
	}
	return list, nil
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
