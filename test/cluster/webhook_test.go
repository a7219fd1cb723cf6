package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// rejected: the webhook takes neither an Image nor a Build that sets kubernetes.io/os itself.
func rejected(ctx context.Context, _ testing.TB, c *cluster) error {
	text, _, err := placed("os")
	if err != nil {
		return err
	}
	for _, file := range []string{"image.yaml", "build.yaml"} {
		err := c.create(ctx, file,
			values{Name: "with-os", OS: "windows", Builder: registryAddress + "/builders/windows", Placement: text})
		if err == nil {
			return fmt.Errorf("%s with a selector for kubernetes.io/os is accepted", file)
		}
		for _, part := range []string{
			`admission webhook "validation.webhook.kpack.io" denied the request`,
			"kubernetes.io/os", "os is determined automatically",
		} {
			if !strings.Contains(err.Error(), part) {
				return fmt.Errorf("%s with a selector for kubernetes.io/os: the error does not say %q: %w",
					file, part, err)
			}
		}
	}
	return nil
}

// converted: the apiserver serves an Image in its old version through the webhook.
func converted(ctx context.Context, _ testing.TB, c *cluster) error {
	var old *unstructured.Unstructured
	err := answered(ctx, func() (err error) {
		old, err = c.resource(schema.GroupVersionKind{Group: "kpack.io", Version: "v1alpha1", Kind: "Image"},
			builds).Get(ctx, "windows-image", metav1.GetOptions{})
		return err
	})
	if err != nil {
		return err
	}
	tag, _, _ := unstructured.NestedString(old.Object, "spec", "tag")
	// which v1alpha2 calls serviceAccountName
	account, _, _ := unstructured.NestedString(old.Object, "spec", "serviceAccount")
	if old.GetAPIVersion() != "kpack.io/v1alpha1" || tag != registryAddress+"/apps/windows-image" ||
		account != "default" {
		return fmt.Errorf("it is %s with tag %q and service account %q", old.GetAPIVersion(), tag, account)
	}
	return nil
}
