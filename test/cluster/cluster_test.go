package cluster

import (
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/slipway-dev/slipway/test/cluster/control"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
	"github.com/slipway-dev/slipway/test/cluster/node"
)

// The nodes of every cluster, labeled and tainted as is usual where both systems are mixed.
var (
	linux = node.Spec{
		Name: "linux", Address: control.NodeAddress, OS: "linux",
		Labels: map[string]string{"slipway.test/pool": "builds"},
	}
	windows = node.Spec{
		Name: "windows", Address: "192.0.2.2", OS: "windows", OSVersion: "10.0.20348.2700",
		Labels: map[string]string{corev1.LabelWindowsBuild: "10.0.20348", "slipway.test/pool": "builds"},
		Taints: []corev1.Taint{{Key: "os", Value: "windows", Effect: corev1.TaintEffectNoSchedule}},
	}
)

// builds is the namespace in which users build.
const builds = "builds"

// cluster is a control plane with two nodes and a release to apply.
type cluster struct {
	*release
	plane    *control.Plane
	kube     kubernetes.Interface
	dynamic  dynamic.Interface
	agent    *node.Agent
	audit    *audit
	manifest string // path of the release.yaml to apply
	mistake  string // what it says where the release has a mistake, or nothing
}

// start brings up a cluster until the test ends. What is applied is the manifest, which need not
// be the release's.
func start(t *testing.T, r *release, programs string, manifest []byte) *cluster {
	t.Helper()
	dir := t.TempDir()
	plane, err := control.Start(t.Context(), programs, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	c := &cluster{
		release: r, plane: plane, manifest: filepath.Join(dir, "release.yaml"),
		audit: &audit{file: plane.Audit, user: "system:serviceaccount:kpack:"},
	}
	if err := c.connect(); err != nil {
		t.Fatal(err)
	}
	own := r.own()
	s, err := serve(plane.Namespace, own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, n := range []node.Spec{linux, windows} {
		if err := node.Register(t.Context(), c.kube, n); err != nil {
			t.Fatal(err)
		}
	}
	c.agent = &node.Agent{
		Client: c.kube, Net: plane.Namespace, Node: linux, Namespace: "kpack",
		Dir: dir, Inside: func(_ *corev1.Pod, n *namespace.Namespace) error {
			// A snapshot has stub bases and can be pushed to a loopback address only: so every
			// pod has the registry there.
			s, err := serve(n, own)
			if err == nil {
				t.Cleanup(func() { s.Close() })
			}
			return err
		},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(plane.Logs(), c.agent.Logs(), c.agent.Stacks())
		}
		c.agent.Stop()
	})
	if err := c.agent.Run(background); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.manifest, manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// connect makes the clients of the apiserver.
func (c *cluster) connect() (err error) {
	if c.kube, err = kubernetes.NewForConfig(c.plane.Config); err != nil {
		return err
	}
	c.dynamic, err = dynamic.NewForConfig(c.plane.Config)
	return err
}
