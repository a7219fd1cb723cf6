package node

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// environment resolves a container's variables as the kubelet does, after those of the Services.
func (a *Agent) environment(ctx context.Context, pod *corev1.Pod, c *corev1.Container) ([]string, error) {
	env, err := a.services(ctx, pod.Namespace)
	if err != nil {
		return nil, err
	}
	if len(c.EnvFrom) > 0 {
		return nil, fmt.Errorf("it has envFrom, which this agent does not know")
	}
	for _, v := range c.Env {
		value, err := a.variable(ctx, pod, v)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Name, err)
		}
		env = append(env, v.Name+"="+value)
	}
	return env, nil
}

// services are the addresses of the Services that a container finds in its environment.
func (a *Agent) services(ctx context.Context, namespace string) ([]string, error) {
	var env []string
	for _, ns := range []string{metav1.NamespaceDefault, namespace} {
		list, err := a.Client.CoreV1().Services(ns).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, s := range list.Items {
			if s.Spec.ClusterIP == "" || s.Spec.ClusterIP == corev1.ClusterIPNone || len(s.Spec.Ports) == 0 {
				continue
			}
			prefix := strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
			env = append(env, prefix+"_SERVICE_HOST="+s.Spec.ClusterIP,
				fmt.Sprintf("%s_SERVICE_PORT=%d", prefix, s.Spec.Ports[0].Port))
		}
	}
	return env, nil
}

func (a *Agent) variable(ctx context.Context, pod *corev1.Pod, v corev1.EnvVar) (string, error) {
	switch from := v.ValueFrom; {
	case from == nil:
		if strings.Contains(v.Value, "$(") {
			return "", fmt.Errorf("%q refers to another variable, which this agent does not know", v.Value)
		}
		return v.Value, nil
	case from.FieldRef != nil:
		return field(pod, from.FieldRef.FieldPath)
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		m, err := a.Client.CoreV1().ConfigMaps(pod.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		value, ok := m.Data[ref.Key]
		if !ok {
			return "", fmt.Errorf("ConfigMap %s has no key %s", ref.Name, ref.Key)
		}
		return value, nil
	default:
		return "", fmt.Errorf("it comes from where this agent does not look: %v", from)
	}
}

func field(pod *corev1.Pod, path string) (string, error) {
	if key, ok := strings.CutPrefix(path, "metadata.annotations['"); ok {
		return pod.Annotations[strings.TrimSuffix(key, "']")], nil
	}
	if key, ok := strings.CutPrefix(path, "metadata.labels['"); ok {
		return pod.Labels[strings.TrimSuffix(key, "']")], nil
	}
	switch path {
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.name":
		return pod.Name, nil
	default:
		return "", fmt.Errorf("this agent does not know the field %s", path)
	}
}
