package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// accepted: kubectl applies release.yaml, validated strictly, and the apiserver does not even warn.
func accepted(ctx context.Context, _ testing.TB, c *cluster) error {
	out, err := c.plane.Output(c.plane.Command(ctx, "kubectl", "apply", "--filename="+c.manifest,
		"--validate=strict", "--warnings-as-errors"))
	if err != nil {
		return fmt.Errorf("kubectl apply: %w\n%s", err, out)
	}
	if strings.Contains(out, "Warning") {
		return fmt.Errorf("kubectl apply warns:\n%s", out)
	}
	return c.create(ctx, "namespace.yaml", values{})
}

// pinned: every image that a pod or a ConfigMap of the release names is in the lock, and named by
// its digest.
func pinned(ctx context.Context, t testing.TB, c *cluster) error {
	var known []string
	for _, i := range c.lock.Images {
		known = append(known, c.image(t, i.Name))
	}
	var errs []error
	see := func(where, ref string) {
		if !slices.Contains(known, ref) {
			errs = append(errs, fmt.Errorf("%s names %q, which is no image of the lock by its digest", where, ref))
		}
	}
	deployments, err := c.kube.AppsV1().Deployments("kpack").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(deployments.Items) == 0 {
		return errors.New("namespace kpack has no Deployments")
	}
	for _, d := range deployments.Items {
		for _, container := range d.Spec.Template.Spec.Containers {
			see("Deployment "+d.Name, container.Image)
			for _, v := range container.Env {
				if strings.HasSuffix(v.Name, "_IMAGE") && v.ValueFrom == nil {
					see("variable "+v.Name+" of "+d.Name, v.Value)
				}
			}
		}
	}
	maps, err := c.kube.CoreV1().ConfigMaps("kpack").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, m := range maps.Items {
		if strings.HasSuffix(m.Name, "-image") {
			see("ConfigMap "+m.Name, m.Data["image"])
		}
	}
	return errors.Join(errs...)
}

// running: Pod Security lets the pods be made, the scheduler binds them to the Linux node, their
// programs start out of their images and stay, and the webhook has got its certificate,
// registered itself and answers the apiserver over TLS.
func running(ctx context.Context, _ testing.TB, c *cluster) error {
	for _, name := range []string{"kpack-controller", "kpack-webhook"} {
		err := c.until(ctx, func(ctx context.Context) (string, bool, error) {
			d, err := c.kube.AppsV1().Deployments("kpack").Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return "", false, err
			}
			return fmt.Sprintf("%d of %d pods are available: %v", d.Status.AvailableReplicas, *d.Spec.Replicas,
					d.Status.Conditions),
				d.Status.AvailableReplicas == *d.Spec.Replicas && d.Status.ObservedGeneration == d.Generation, nil
		})
		if err != nil {
			return fmt.Errorf("Deployment %s: %w", name, err)
		}
	}
	// What it defaults and validates it registers with the apiserver itself, and then a dry run
	// goes through both.
	err := c.until(ctx, func(ctx context.Context) (string, bool, error) {
		defaults, err := c.kube.AdmissionregistrationV1().MutatingWebhookConfigurations().Get(ctx,
			"defaults.webhook.kpack.io", metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		validation, err := c.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(ctx,
			"validation.webhook.kpack.io", metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		if len(defaults.Webhooks[0].Rules) == 0 || len(validation.Webhooks[0].Rules) == 0 {
			return "the webhook does not register what it validates", false, nil
		}
		list, err := objects("image.yaml", values{Name: "dry-run", OS: "none"})
		if err != nil {
			return "", false, err
		}
		made, err := c.resource(kind("Image"), builds).Create(ctx, list[0],
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return err.Error(), false, nil //nolint:nilerr // it is asked again
		}
		account, _, _ := unstructured.NestedString(made.Object, "spec", "serviceAccountName")
		return "the webhook does not fill in the service account of an Image", account == "default", nil
	})
	if err != nil {
		return fmt.Errorf("the webhook: %w", err)
	}
	pods, err := c.kube.CoreV1().Pods("kpack").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, p := range pods.Items {
		if p.Spec.NodeName != linux.Name || p.Spec.OS == nil || p.Spec.OS.Name != corev1.Linux {
			return fmt.Errorf("pod %s is bound to %q and says its system is %v", p.Name, p.Spec.NodeName, p.Spec.OS)
		}
	}
	return nil
}

// permitted: no service account of the release was refused anything, by the apiserver's own
// record. Every check before looks there, too, while it waits.
func permitted(_ context.Context, _ testing.TB, c *cluster) error {
	if err := c.audit.check(); err != nil {
		return err
	}
	if c.audit.seen == 0 {
		return fmt.Errorf("%s has no requests of the release's", filepath.Base(c.audit.file))
	}
	return nil
}
