package docs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/test/cluster/control"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
	"github.com/slipway-dev/slipway/test/cluster/node"
)

var (
	linuxNode   = node.Spec{Name: "linux", Address: control.NodeAddress, OS: "linux"}
	windowsNode = node.Spec{
		Name: "windows", Address: "192.0.2.2", OS: "windows", OSVersion: "10.0.20348.4405",
		Labels: map[string]string{corev1.LabelWindowsBuild: "10.0.20348"},
	}
)

// tekton is Tekton's API as far as an object can be made. Its types have read what slipway prints
// in test/libraries/tekton.
const tekton = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pipelineruns.tekton.dev}
spec:
  group: tekton.dev
  scope: Namespaced
  names: {kind: PipelineRun, plural: pipelineruns, singular: pipelinerun}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// cluster returns a control plane with a Linux and a Windows node, which all pages share, and
// which starts when the first asks for it.
func cluster(t *testing.T) func() (*control.Plane, error) {
	return sync.OnceValues(func() (*control.Plane, error) {
		programs, err := consumer.ControlPlane(t.Context())
		if err != nil {
			return nil, err
		}
		plane, err := control.Start(t.Context(), programs, t.TempDir())
		if err != nil {
			return nil, err
		}
		t.Cleanup(plane.Stop)
		client, err := kubernetes.NewForConfig(plane.Config)
		if err != nil {
			return nil, err
		}
		for _, n := range []node.Spec{linuxNode, windowsNode} {
			if err := node.Register(t.Context(), client, n); err != nil {
				return nil, err
			}
		}
		create := plane.Command(t.Context(), "kubectl", "create", "-f", "-")
		create.Stdin = strings.NewReader(tekton)
		if out, err := plane.Output(create); err != nil {
			return nil, fmt.Errorf("installing tekton: %w\n%s", err, out)
		}
		return plane, nil
	})
}

// clients counts the machines that have been in the network of a cluster.
var clients atomic.Int32

// clientOf is a machine in the network of a cluster, with kubectl and an administrator's
// configuration.
func clientOf(t *testing.T, plane *control.Plane) *machine {
	t.Helper()
	ns, err := plane.Namespace.Pod(fmt.Sprintf("192.0.2.%d/24", 200+clients.Add(1)), control.NodeAddress)
	must(t, err)
	t.Cleanup(ns.Close)
	m := newMachine(t, ns, newNet(t), plane.Command(t.Context(), "kubectl").Path)
	m.plane = plane
	config, err := clientcmd.LoadFromFile(plane.Kubeconfig)
	must(t, err)
	must(t, clientcmdapi.FlattenConfig(config))
	text, err := clientcmd.Write(*config)
	must(t, err)
	m.file(t, "home/.kube/config", string(text))
	return m
}

// pods runs the pods of Jobs, whose image is slipway's.
func pods(t *testing.T, m *machine) {
	t.Helper()
	m.pushSlipway(t, "ghcr.io/slipway-dev/slipway:1.0.0")
	client, err := kubernetes.NewForConfig(m.plane.Config)
	must(t, err)
	a := &node.Agent{
		Client: client, Net: m.plane.Namespace, Node: linuxNode, Namespace: "default",
		Dir: filepath.Join(m.dir, "agent"), Transport: m.net,
		Inside: func(_ *corev1.Pod, n *namespace.Namespace) error { return m.listen(t, n) },
	}
	must(t, a.Run(context.WithoutCancel(t.Context())))
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(a.Failed(), a.Trouble(), a.Logs())
		}
		a.Stop()
	})
}
