package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/test/cluster/node"
)

// placement is what users say of where a build runs, as both Image and Build have it.
type placement struct {
	NodeSelector     map[string]string   `json:"nodeSelector"`
	Tolerations      []corev1.Toleration `json:"tolerations"`
	Affinity         *corev1.Affinity    `json:"affinity"`
	SchedulerName    string              `json:"schedulerName"`
	RuntimeClassName *string             `json:"runtimeClassName"`
}

// placed returns testdata/placement.NAME.yaml, as text for a template and as it is to be found in
// a pod.
func placed(name string) (text string, p placement, err error) {
	b, err := os.ReadFile(filepath.Join("testdata", "placement."+name+".yaml"))
	if err != nil {
		return "", p, err
	}
	return string(b), p, yaml.UnmarshalStrict(b, &p)
}

// windowsBuild: the pod of a Build with a Windows builder runs our Windows helpers, is for
// Windows nodes, keeps where its user wants it to run, and the scheduler binds it to the
// Windows node.
func windowsBuild(ctx context.Context, t testing.TB, c *cluster) error {
	return c.build(ctx, t, "windows-build", windows)
}

// linuxBuild is the same for Linux.
func linuxBuild(ctx context.Context, t testing.TB, c *cluster) error {
	return c.build(ctx, t, "linux-build", linux)
}

// build makes a Build with the builder of a ClusterBuilder and looks at its pod.
func (c *cluster) build(ctx context.Context, t testing.TB, name string, on node.Spec) error {
	text, want, err := placed(on.OS)
	if err != nil {
		return err
	}
	builder, err := c.resource(kind("ClusterBuilder"), "").Get(ctx, on.OS, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := c.create(ctx, "build.yaml", values{Name: name, Builder: latest(builder), Placement: text}); err != nil {
		return err
	}
	return c.pod(ctx, t, name, latest(builder), want, on)
}

// windowsImage: where an Image wants its builds to run reaches the pod, too.
func windowsImage(ctx context.Context, t testing.TB, c *cluster) error {
	return c.image2pod(ctx, t, "windows-image", windows)
}

// linuxImage is the same for Linux.
func linuxImage(ctx context.Context, t testing.TB, c *cluster) error {
	return c.image2pod(ctx, t, "linux-image", linux)
}

// image2pod makes an Image with a Builder and looks at the pod of its first Build.
func (c *cluster) image2pod(ctx context.Context, t testing.TB, name string, on node.Spec) error {
	text, want, err := placed(on.OS)
	if err != nil {
		return err
	}
	builder, err := c.resource(kind("Builder"), builds).Get(ctx, on.OS, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := c.create(ctx, "image.yaml", values{Name: name, OS: on.OS, Placement: text}); err != nil {
		return err
	}
	build, err := c.latestBuild(ctx, name, 1)
	if err != nil {
		return err
	}
	return c.pod(ctx, t, build, latest(builder), want, on)
}

// withoutTolerations: a Build for Windows that tolerates no taint stays pending, and the taint is
// why.
func withoutTolerations(ctx context.Context, _ testing.TB, c *cluster) error {
	builder, err := c.resource(kind("ClusterBuilder"), "").Get(ctx, "windows", metav1.GetOptions{})
	if err != nil {
		return err
	}
	const name = "intolerant"
	text, _, err := placed("none")
	if err != nil {
		return err
	}
	if err := c.create(ctx, "build.yaml", values{Name: name, Builder: latest(builder), Placement: text}); err != nil {
		return err
	}
	pod, err := c.scheduled(ctx, name)
	if err != nil {
		return err
	}
	for _, s := range pod.Status.Conditions {
		if s.Type == corev1.PodScheduled {
			if s.Status != corev1.ConditionFalse || s.Reason != corev1.PodReasonUnschedulable ||
				!strings.Contains(s.Message, "1 node(s) had untolerated taint(s)") {
				return fmt.Errorf("its pod is on node %q: %s %s: %s", pod.Spec.NodeName, s.Status, s.Reason, s.Message)
			}
		}
	}
	if pod.Spec.NodeSelector[corev1.LabelOSStable] != "windows" {
		return fmt.Errorf("its pod selects nodes by %v", pod.Spec.NodeSelector)
	}
	return nil
}

// pod checks the pod of a Build.
func (c *cluster) pod(ctx context.Context, t testing.TB, build, builder string, want placement, on node.Spec) error {
	pod, err := c.scheduled(ctx, build)
	if err != nil {
		return err
	}
	if err := c.images(t, pod, map[string]string{
		"prepare":    c.image(t, "build-init"),
		"completion": c.image(t, "completion"),
	}, builder); err != nil {
		return err
	}
	want.NodeSelector[corev1.LabelOSStable] = on.OS
	// Admission gives every pod these two.
	tolerations := slices.DeleteFunc(slices.Clone(pod.Spec.Tolerations), func(t corev1.Toleration) bool {
		return t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable
	})
	got := placement{
		pod.Spec.NodeSelector, tolerations, pod.Spec.Affinity, pod.Spec.SchedulerName,
		pod.Spec.RuntimeClassName,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("where pod %s runs is not what the user said (-want +got):\n%s", pod.Name, diff)
	}
	if pod.Spec.NodeName != on.Name {
		return fmt.Errorf("pod %s is on node %q, want %s: %v", pod.Name, pod.Spec.NodeName, on.Name,
			pod.Status.Conditions)
	}
	return c.pullable(ctx, pod, on)
}

// images checks that the containers of a build's pod have their images; those that are not
// named run the rest.
func (*cluster) images(_ testing.TB, pod *corev1.Pod, want map[string]string, rest string) error {
	var errs []error
	seen := map[string]bool{}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		image, named := want[container.Name]
		if !named {
			image = rest
		}
		if container.Image != image {
			errs = append(errs,
				fmt.Errorf("container %s of pod %s runs %s, want %s", container.Name, pod.Name, container.Image, image))
		}
		seen[container.Name] = true
	}
	for name := range want {
		if !seen[name] {
			errs = append(errs, fmt.Errorf("pod %s has no container %s", pod.Name, name))
		}
	}
	return errors.Join(errs...)
}

// scheduled returns the pod of a Build once the scheduler has spoken about it.
func (c *cluster) scheduled(ctx context.Context, build string) (*corev1.Pod, error) {
	var pod *corev1.Pod
	err := c.until(ctx, func(ctx context.Context) (string, bool, error) {
		b, err := c.resource(kind("Build"), builds).Get(ctx, build, metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		if status, message := condition(b, "Succeeded"); status == "False" {
			return "", false, errors.New(message)
		}
		pods, err := c.kube.CoreV1().Pods(builds).List(ctx,
			metav1.ListOptions{LabelSelector: "kpack.io/build=" + build})
		if err != nil {
			return "", false, err
		}
		if len(pods.Items) == 0 {
			return "it has no pod", false, nil
		}
		pod = &pods.Items[0]
		for _, s := range pod.Status.Conditions {
			if s.Type == corev1.PodScheduled {
				return "", true, nil
			}
		}
		return "the scheduler has not seen its pod", false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("Build %s: %w", build, err)
	}
	return pod, nil
}

// latestBuild waits for a Build of an Image by its number, and returns its name. The Image's
// status may not name it while it runs.
func (c *cluster) latestBuild(ctx context.Context, image string, number int) (string, error) {
	var name string
	err := c.until(ctx, func(ctx context.Context) (string, bool, error) {
		list, err := c.resource(kind("Build"), builds).List(ctx, metav1.ListOptions{
			LabelSelector: fmt.Sprintf("image.kpack.io/image=%s,image.kpack.io/buildNumber=%d", image, number),
		})
		if err != nil {
			return "", false, err
		}
		if len(list.Items) == 1 {
			name = list.Items[0].GetName()
			return "", true, nil
		}
		i, err := c.resource(kind("Image"), builds).Get(ctx, image, metav1.GetOptions{})
		if err != nil {
			return "", false, err
		}
		_, message := condition(i, "Ready")
		return fmt.Sprintf("it has no build %d: %s", number, message), false, nil
	})
	if err != nil {
		return "", fmt.Errorf("Image %s: %w", image, err)
	}
	return name, nil
}
