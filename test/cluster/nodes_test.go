package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/test/cluster/control"
	"github.com/slipway-dev/slipway/test/cluster/node"
)

// fleet has a node for each reason not to take a pod.
var fleet = []node.Spec{
	linux,
	windows,
	{
		Name: "windows-2019", Address: "192.0.2.3", OS: "windows", OSVersion: "10.0.17763.6414",
		Labels: map[string]string{corev1.LabelWindowsBuild: "10.0.17763"},
	},
	{Name: "arm", Address: "192.0.2.4", OS: "linux", Architecture: "arm64"},
	{Name: "cordoned", Address: "192.0.2.5", OS: "linux", Unschedulable: true},
	{
		Name: "gpu", Address: "192.0.2.6", OS: "linux", Labels: map[string]string{"slipway.test/gpus": "2"},
		Taints: []corev1.Taint{{Key: "slipway.test/gpu", Effect: corev1.TaintEffectNoExecute}},
	},
	{
		Name: "reluctant", Address: "192.0.2.7", OS: "linux",
		Taints: []corev1.Taint{{Key: "slipway.test/old", Effect: corev1.TaintEffectPreferNoSchedule}},
	},
}

// report is what `slipway nodes -json` prints.
type report struct {
	Pods, Images []struct {
		Object, Name string
		Nodes        []verdict
	}
}

type verdict struct {
	Node        string
	Runs, Fails bool
	Reasons     []struct{ Kind, Text string }
}

// TestNodes compares what `slipway nodes` reads from a real apiserver and reports with the
// real scheduler: for each pod and each node, a copy of the pod that must go to that node is
// bound, or it is not.
func TestNodes(t *testing.T) {
	t.Parallel()
	r, programs := prepare(t)
	plane, err := control.Start(t.Context(), programs, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	c := &cluster{release: r, plane: plane}
	if err := c.connect(); err != nil {
		t.Fatal(err)
	}
	for _, n := range fleet {
		if err := node.Register(t.Context(), c.kube, n); err != nil {
			t.Fatal(err)
		}
	}
	// large and with-gpu have no node
	says := c.nodes(t, filepath.Join("testdata", "nodes.yaml"), 1)
	list, err := objects("nodes.yaml", values{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.spread(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	for _, pod := range says.Pods {
		_, name, _ := strings.Cut(pod.Object, "/")
		if len(pod.Nodes) != len(fleet) {
			t.Errorf("%s has verdicts for %d nodes of %d", pod.Object, len(pod.Nodes), len(fleet))
		}
		for _, v := range pod.Nodes {
			bound, why, err := c.verdict(t.Context(), name+"."+v.Node)
			if err != nil {
				t.Fatal(err)
			}
			if bound != (v.Runs || v.Fails) || v.Runs != (len(v.Reasons) == 0) {
				t.Errorf("slipway says of %s on node %s that it runs %v, fails %v: %v; the scheduler says %v: %s", name,
					v.Node, v.Runs, v.Fails, v.Reasons, bound, why)
			}
		}
	}
	if len(says.Pods) != len(list)-1 { // the RuntimeClass has no pods
		t.Errorf("slipway sees %d pods of %d", len(says.Pods), len(list)-1)
	}

	// The pods of kpack do not select an architecture: on arm they are placed, and fail.
	says = c.nodes(t, filepath.Join(r.dist, "release.yaml"), 1)
	for _, pod := range says.Pods {
		if !slices.ContainsFunc(pod.Nodes, func(v verdict) bool { return v.Node == "arm" && v.Fails && !v.Runs }) {
			t.Errorf("slipway does not say that %s fails on arm: %v", pod.Object, pod.Nodes)
		}
	}
	for _, i := range says.Images {
		for _, v := range i.Nodes {
			system := fleet[slices.IndexFunc(fleet, func(n node.Spec) bool { return n.Name == v.Node })]
			want := system.Architecture == "" &&
				(system.OS == "linux" || i.Name == "build-init" || i.Name == "completion")
			if v.Runs != want {
				t.Errorf("slipway says of image %s on node %s %v: %v", i.Name, v.Node, v.Runs, v.Reasons)
			}
		}
	}
}

// nodes runs the release's slipway in the cluster's namespace and expects an exit code.
func (c *cluster) nodes(t *testing.T, manifest string, code int) report {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), filepath.Join(c.dist, "bin", "slipway"), "nodes", "-release="+manifest,
		"-lock="+filepath.Join(c.dist, lock.Name), "-kubeconfig="+c.plane.Kubeconfig, "-json")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := c.plane.Namespace.Run(cmd)
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("slipway nodes ends with %d, want %d: %v\n%s", got, code, err, stderr.String())
	}
	var r report
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil {
		t.Fatalf("slipway nodes prints no JSON: %v\n%s", err, stdout.String())
	}
	return r
}

// spread makes a copy of each pod for each node, which differs in that only this node will do;
// and keeps what is not a pod as it is.
func (c *cluster) spread(ctx context.Context, list []*unstructured.Unstructured) error {
	accounts := c.kube.CoreV1().ServiceAccounts(metav1.NamespaceDefault)
	err := wait.PollUntilContextTimeout(ctx, tick, patience, true, func(ctx context.Context) (bool, error) {
		// without which no pod is admitted
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the service account: %w", err)
	}
	for _, o := range list {
		if o.GetKind() != "Pod" {
			if _, err := c.resource(o.GroupVersionKind(), "").Create(ctx, o, metav1.CreateOptions{}); err != nil {
				return err
			}
			continue
		}
		for _, n := range fleet {
			pod := o.DeepCopy()
			pod.SetName(o.GetName() + "." + n.Name)
			if err := unstructured.SetNestedField(pod.Object, n.Name, "spec",
				"nodeSelector", corev1.LabelHostname); err != nil {
				return err
			}
			if _, err := c.resource(o.GroupVersionKind(), o.GetNamespace()).Create(ctx,
				pod, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// verdict waits for the scheduler's decision on a pod.
func (c *cluster) verdict(ctx context.Context, name string) (bound bool, why string, err error) {
	err = wait.PollUntilContextTimeout(ctx, tick, patience, true, func(ctx context.Context) (bool, error) {
		pod, err := c.kube.CoreV1().Pods(metav1.NamespaceDefault).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, s := range pod.Status.Conditions {
			if s.Type == corev1.PodScheduled {
				bound, why = s.Status == corev1.ConditionTrue, s.Message
				if bound && !strings.HasSuffix(name, "."+pod.Spec.NodeName) {
					return false, errors.New("it is on node " + pod.Spec.NodeName)
				}
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return false, "", fmt.Errorf("pod %s: %w", name, err)
	}
	return bound, why, nil
}
