package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// mount is a mount of runc's configuration.
type mount struct {
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Options     []string `json:"options,omitempty"`
}

// runc starts a container by its specification, with what it has there and nothing else: the user
// and groups, no capabilities, a read-only root, its volumes. The container is in the network of
// the pod, whose namespace starts it. Resources and seccomp profiles are not applied.
func (a *Agent) runc(ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	network *namespace.Namespace,
) (p *namespace.Process, id string, err error) {
	root, image, err := a.rootFS(ctx, c.Image)
	if err != nil {
		return nil, "", err
	}
	env, err := a.environment(ctx, pod, c)
	if err != nil {
		return nil, "", err
	}
	env = append(slices.Clone(image.Config.Env), append([]string{"HOSTNAME=" + pod.Name}, env...)...)
	group, err := restricted(pod, c)
	if err != nil {
		return nil, "", err
	}
	mounts, err := a.binds(ctx, pod, c, group)
	if err != nil {
		return nil, "", err
	}
	program, args := image.Config.Entrypoint, image.Config.Cmd
	if len(c.Command) > 0 {
		program, args = c.Command, nil
	}
	if len(c.Args) > 0 {
		args = c.Args
	}
	var line []string
	for _, s := range slices.Concat(program, args) {
		line = append(line, expand(s, env))
	}
	mounts = append([]mount{
		{"/proc", "proc", "proc", nil},
		{"/dev", "tmpfs", "tmpfs", []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
	}, mounts...)
	s := pod.Spec.SecurityContext
	text, err := json.Marshal(map[string]any{
		"ociVersion": "1.0.2",
		"process": map[string]any{
			"user": map[string]any{"uid": *s.RunAsUser, "gid": *s.RunAsGroup, "additionalGids": []int64{group}},
			"args": line, "env": env, "cwd": cmp.Or(c.WorkingDir, image.Config.WorkingDir, "/"),
			"capabilities":    map[string]any{},
			"noNewPrivileges": true,
		},
		"root":     map[string]any{"path": root, "readonly": true},
		"hostname": pod.Name,
		"mounts":   mounts,
		"linux": map[string]any{"namespaces": []map[string]any{
			{"type": "pid"},
			{"type": "ipc"},
			{"type": "uts"},
			{"type": "mount"},
		}},
	})
	if err != nil {
		return nil, "", err
	}
	bundle := filepath.Join(a.Dir, string(pod.UID))
	if err := os.MkdirAll(bundle, 0o755); err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(filepath.Join(bundle, "config.json"), text, 0o644); err != nil {
		return nil, "", err
	}
	id = "slipway-" + string(pod.UID)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "runc", "--root", a.runcRoot(), "run",
		"--bundle", bundle, id)
	p, err = network.Start(pod.Name+"."+c.Name, a.Dir, cmd)
	if err == nil {
		a.mu.Lock()
		a.running = append(a.running, p)
		a.mu.Unlock()
	}
	return p, id, err
}

// restricted checks that a container asks for what this agent gives it, and returns the group of
// its volumes.
func restricted(pod *corev1.Pod, c *corev1.Container) (group int64, err error) {
	p, s := pod.Spec.SecurityContext, c.SecurityContext
	switch {
	case p == nil || p.RunAsNonRoot == nil || !*p.RunAsNonRoot || p.RunAsUser == nil || *p.RunAsUser == 0 ||
		p.RunAsGroup == nil || p.FSGroup == nil:
		return 0, errors.New("it runs as root, or does not tell as whom")
	case s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem:
		return 0, errors.New("its root is not read-only")
	case s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) ||
		len(s.Capabilities.Add) > 0:
		return 0, errors.New("it keeps capabilities")
	case s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation:
		return 0, errors.New("it may gain privileges")
	}
	return *p.FSGroup, nil
}

// binds makes a pod's volumes and returns where a container has them.
func (a *Agent) binds(ctx context.Context, pod *corev1.Pod, c *corev1.Container, group int64) (all []mount, err error) {
	for _, m := range c.VolumeMounts {
		n := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		v := pod.Spec.Volumes[n]
		dir := filepath.Join(a.Dir, string(pod.UID), "volumes", m.Name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		option := "rw"
		switch {
		case v.EmptyDir != nil:
			if err := errors.Join(os.Chown(dir, 0, int(group)), os.Chmod(dir, 0o775|os.ModeSetgid)); err != nil {
				return nil, err
			}
		case v.Secret != nil:
			option = "ro"
			s, err := a.Client.CoreV1().Secrets(pod.Namespace).Get(ctx, v.Secret.SecretName, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			for _, i := range v.Secret.Items {
				file := filepath.Join(dir, i.Path)
				if err := errors.Join(os.WriteFile(file, s.Data[i.Key], os.FileMode(*v.Secret.DefaultMode)),
					os.Chown(file, 0, int(group))); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fmt.Errorf("volume %s is of a kind that this agent does not know", m.Name)
		}
		all = append(all, mount{m.MountPath, "bind", dir, []string{"rbind", option}})
	}
	return all, nil
}

var reference = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// expand replaces $(NAME) by the container's variable of that name, as the kubelet does.
func expand(s string, env []string) string {
	return reference.ReplaceAllStringFunc(s, func(r string) string {
		for _, kv := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(kv, r[2:len(r)-1]+"="); ok {
				return value
			}
		}
		return r
	})
}
