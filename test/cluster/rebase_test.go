package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// rebase: when the run image of a Windows stack changes, kpack rebases what was built on it, in a
// pod on a Linux node. The images of that pod, the Windows completion among them, exist for that
// node, and what they run there does it. The Build succeeds by what completion reports: in its
// message to the kubelet, which gets there by a link in the image (ADR 14).
func rebase(ctx context.Context, t testing.TB, c *cluster) error {
	const image = "rebased"
	text, _, err := placed("tolerations")
	if err != nil {
		return err
	}
	if err := c.create(ctx, "image.yaml", values{Name: image, OS: "windows", Placement: text}); err != nil {
		return err
	}
	first, err := c.latestBuild(ctx, image, 1)
	if err != nil {
		return err
	}
	pod, err := c.scheduled(ctx, first)
	if err != nil {
		return err
	}
	if pod.Spec.NodeName != windows.Name {
		return fmt.Errorf("pod %s is on node %q, want %s", pod.Name, pod.Spec.NodeName, windows.Name)
	}
	if err := c.export(ctx, image); err != nil {
		return err
	}
	if err := c.succeed(ctx, pod); err != nil {
		return err
	}
	if _, err := c.ready(ctx, kind("Image"), builds, image); err != nil {
		return err
	}
	if err := c.nextSecond(ctx, first); err != nil {
		return err
	}
	if err := c.newRunImage(ctx, "windows"); err != nil {
		return err
	}
	second, err := c.latestBuild(ctx, image, 2)
	if err != nil {
		return err
	}
	b, err := c.resource(kind("Build"), builds).Get(ctx, second, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if reason := b.GetAnnotations()["image.kpack.io/reason"]; reason != "STACK" {
		return fmt.Errorf("Build %s is there because of %q, want STACK", second, reason)
	}
	if pod, err = c.scheduled(ctx, second); err != nil {
		return err
	}
	if pod.Spec.NodeName != linux.Name {
		return fmt.Errorf("pod %s is on node %q, want %s: %v", pod.Name, pod.Spec.NodeName, linux.Name,
			pod.Status.Conditions)
	}
	if err := c.images(t, pod,
		map[string]string{"rebase": c.image(t, "rebase"), "completion": c.image(t, "completion")}, ""); err != nil {
		return err
	}
	if err := c.pullable(ctx, pod, linux); err != nil {
		return err
	}
	if err := c.agent.Complete(ctx, pod); err != nil {
		return fmt.Errorf("pod %s: %w", pod.Name, err)
	}
	if err := c.isRebased(ctx, image); err != nil {
		return err
	}
	return c.knows(ctx, image, second)
}

// nextSecond waits for a second after that in which a Build was made. Of two Builds of one second
// kpack takes any for the latest, and tries in vain to recreate the second. With real builds,
// which last, there are no two.
func (c *cluster) nextSecond(ctx context.Context, build string) error {
	b, err := c.resource(kind("Build"), builds).Get(ctx, build, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return c.until(ctx, func(context.Context) (string, bool, error) {
		return "it is not later", !time.Now().Before(b.GetCreationTimestamp().Add(time.Second)), nil
	})
}

// knows: kpack's Build has succeeded, and its Image has as its latest image what is in the
// registry.
func (c *cluster) knows(ctx context.Context, image, build string) error {
	ref, err := name.NewTag(registryAddress + "/apps/" + image)
	if err != nil {
		return err
	}
	d, err := remote.Head(ref, c.remote(ctx)...)
	if err != nil {
		return err
	}
	want := ref.Context().Digest(d.Digest.String()).String()
	err = c.until(ctx, func(ctx context.Context) (string, bool, error) {
		b, err := c.resource(kind("Build"), builds).Get(ctx, build, metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		i, err := c.resource(kind("Image"), builds).Get(ctx, image, metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		succeeded, message := condition(b, "Succeeded")
		if succeeded == "False" {
			return "", false, errors.New(message)
		}
		ready, _ := condition(i, "Ready")
		return fmt.Sprintf("it has succeeded: %s; Image %s is ready: %s, and its latest image is %s, want %s",
				succeeded, image, ready, latest(i), want),
			succeeded == "True" && ready == "True" && latest(b) == want && latest(i) == want, nil
	})
	if err != nil {
		return fmt.Errorf("Build %s: %w", build, err)
	}
	return nil
}

// isRebased: the image in the registry is the app on the new run image, still for the Windows it
// was for.
func (c *cluster) isRebased(ctx context.Context, image string) error {
	ref, err := name.NewTag(registryAddress + "/apps/" + image)
	if err != nil {
		return err
	}
	img, err := remote.Image(ref, c.remote(ctx)...)
	if err != nil {
		return err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	run, err := stackImage("windows", "patched")
	if err != nil {
		return err
	}
	base, err := run.ConfigFile()
	if err != nil {
		return err
	}
	app, err := file("windows", "workspace/app.txt", "an app")
	if err != nil {
		return err
	}
	id, err := app.DiffID()
	if err != nil {
		return err
	}
	if want := append(slices.Clone(base.RootFS.DiffIDs), id); !slices.Equal(config.RootFS.DiffIDs, want) {
		return fmt.Errorf("%s has the layers %v, want %v", ref, config.RootFS.DiffIDs, want)
	}
	if config.OS != "windows" || config.OSVersion != windows.OSVersion {
		return fmt.Errorf("%s is for %s %s, want windows %s", ref, config.OS, config.OSVersion, windows.OSVersion)
	}
	return nil
}

// export pushes what the build's last phase would have: the app on the run image, with the labels
// that kpack reads. No Windows node runs the phases here.
func (c *cluster) export(ctx context.Context, image string) error {
	builder, err := c.resource(kind("Builder"), builds).Get(ctx, "windows", metav1.GetOptions{})
	if err != nil {
		return err
	}
	run, _, _ := unstructured.NestedString(builder.Object, "status", "stack", "runImage")
	ref, err := name.NewDigest(run)
	if err != nil {
		return err
	}
	base, err := remote.Image(ref, c.remote(ctx)...)
	if err != nil {
		return err
	}
	app, err := file("windows", "workspace/app.txt", "an app")
	if err != nil {
		return err
	}
	img, err := mutate.AppendLayers(base, app)
	if err != nil {
		return err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	metadata, err := json.Marshal(map[string]any{
		"runImage": map[string]any{"topLayer": top(config, 2), "reference": run},
		"stack":    map[string]any{"runImage": map[string]any{"image": run}},
		"app":      []any{map[string]any{"sha": top(config, 1)}},
	})
	if err != nil {
		return err
	}
	config.Config.Labels["io.buildpacks.lifecycle.metadata"] = string(metadata)
	config.Config.Labels["io.buildpacks.build.metadata"] = `{"buildpacks":[],"processes":[]}`
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return err
	}
	_, err = c.push(ctx, "apps/"+image, img)
	return err
}

// top is the n-th layer from the top.
func top(c *v1.ConfigFile, n int) string { return c.RootFS.DiffIDs[len(c.RootFS.DiffIDs)-n].String() }

// succeed reports of a pod what the kubelet would after its last container.
func (c *cluster) succeed(ctx context.Context, pod *corev1.Pod) error {
	pod = pod.DeepCopy()
	now := metav1.Now()
	done := func(list []corev1.Container) (out []corev1.ContainerStatus) {
		for _, container := range list {
			out = append(out, corev1.ContainerStatus{
				Name: container.Name, Image: container.Image, ImageID: container.Image,
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
					Reason:    "Completed",
					StartedAt: now, FinishedAt: now,
				}},
			})
		}
		return out
	}
	pod.Status.Phase = corev1.PodSucceeded
	pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses = done(pod.Spec.InitContainers),
		done(pod.Spec.Containers)
	_, err := c.kube.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// newRunImage gives a stack another run image, as its maintainer does with security updates.
func (c *cluster) newRunImage(ctx context.Context, os string) error {
	img, err := stackImage(os, "patched")
	if err != nil {
		return err
	}
	ref, err := c.push(ctx, "stacks/"+os+"-run", img)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"runImage": map[string]any{"image": ref}}})
	if err != nil {
		return err
	}
	return answered(ctx, func() error {
		_, err := c.resource(kind("ClusterStack"), "").Patch(ctx, os, types.MergePatchType, patch,
			metav1.PatchOptions{})
		return err
	})
}
