package node

import (
	"context"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/v1/remote"
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// container starts a container's process.
func (a *Agent) container(ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	network *namespace.Namespace,
) (*namespace.Process, error) {
	root := a.root(pod, c)
	if err := os.RemoveAll(root); err != nil { // of an attempt before
		return nil, err
	}
	config, err := pull(ctx, c.Image, root, remote.WithTransport(a.transport()))
	if err != nil {
		return nil, err
	}
	if err := a.mounts(ctx, pod, c, root, network); err != nil {
		return nil, err
	}
	if err := a.mountMessage(pod, c, root, network); err != nil {
		return nil, err
	}
	env, err := a.environment(ctx, pod, c)
	if err != nil {
		return nil, err
	}
	cmd, err := command(pod, c, config, root)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(append([]string{"HOSTNAME=" + pod.Name}, config.Config.Env...), env...)
	return network.Start(pod.Name+"."+c.Name, a.Dir, cmd)
}

func (a *Agent) transport() http.RoundTripper {
	if a.Transport != nil {
		return a.Transport
	}
	return &http.Transport{DialContext: a.Net.Dial}
}

// root is the root directory of a container.
func (a *Agent) root(pod *corev1.Pod, c *corev1.Container) string {
	return filepath.Join(a.Dir, string(pod.UID), c.Name)
}
