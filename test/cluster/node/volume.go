package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// mounts brings a pod's volumes to where a container has them below its root directory. Admission
// gives every pod one: the token of its service account, the authority of the apiserver and the
// name of the namespace. Empty directories are shared by the pod's containers.
func (a *Agent) mounts(ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	root string, network *namespace.Namespace,
) error {
	volumes := map[string]corev1.Volume{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = v
	}
	for _, m := range c.VolumeMounts {
		v := volumes[m.Name]
		dir := filepath.Join(root, m.MountPath)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		switch {
		case v.EmptyDir != nil:
			shared := filepath.Join(a.Dir, string(pod.UID), "volumes", m.Name)
			if err := os.MkdirAll(shared, 0o755); err != nil {
				return err
			}
			if err := os.Chmod(shared, 0o777); err != nil {
				return err
			}
			if err := network.Mount(shared, dir); err != nil {
				return err
			}
			continue
		case v.Projected == nil:
			return fmt.Errorf("volume %s is of a kind that this agent does not know", m.Name)
		}
		for _, s := range v.Projected.Sources {
			files, err := a.project(ctx, pod, s)
			if err != nil {
				return fmt.Errorf("volume %s: %w", m.Name, err)
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// project returns the files of one source of a projected volume.
func (a *Agent) project(ctx context.Context, pod *corev1.Pod, s corev1.VolumeProjection) (map[string]string, error) {
	files := map[string]string{}
	switch {
	case s.ServiceAccountToken != nil:
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: s.ServiceAccountToken.ExpirationSeconds,
			BoundObjectRef: &authenticationv1.BoundObjectReference{
				APIVersion: "v1", Kind: "Pod",
				Name: pod.Name, UID: pod.UID,
			},
		}}
		token, err := a.Client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName,
			request, metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		files[s.ServiceAccountToken.Path] = token.Status.Token
	case s.ConfigMap != nil:
		m, err := a.Client.CoreV1().ConfigMaps(pod.Namespace).Get(ctx, s.ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for _, i := range s.ConfigMap.Items {
			files[i.Path] = m.Data[i.Key]
		}
	case s.DownwardAPI != nil:
		for _, i := range s.DownwardAPI.Items {
			value, err := field(pod, i.FieldRef.FieldPath)
			if err != nil {
				return nil, err
			}
			files[i.Path] = value
		}
	default:
		return nil, fmt.Errorf("a source is of a kind that this agent does not know: %v", s)
	}
	return files, nil
}
