package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// The kubelet's limits of a termination message (k8s.io/kubernetes/pkg/kubelet/container).
const (
	maxMessage  = 4096 // bytes
	maxLog      = 2048 // bytes where it comes from the log
	maxLogLines = 80
)

// messageFile is where the kubelet has a container's termination message.
func (a *Agent) messageFile(pod *corev1.Pod, c *corev1.Container) string {
	return filepath.Join(a.Dir, string(pod.UID), c.Name+".termination-log")
}

// mountMessage gives a container an empty file for its message, which everybody may write, at its
// terminationMessagePath.
func (a *Agent) mountMessage(pod *corev1.Pod, c *corev1.Container, root string, network *namespace.Namespace) error {
	file := a.messageFile(pod, c)
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		return err
	}
	if err := os.Chmod(file, 0o666); err != nil { // whatever the umask is
		return err
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	// Every container has a /dev of root's, where it can make no files.
	for _, dir := range []string{"dev", strings.Trim(filepath.Dir(c.TerminationMessagePath), "/")} {
		if dir == "" {
			continue
		}
		if err := r.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return network.MountFile(file, root, c.TerminationMessagePath)
}

// message is a container's last word: what it wrote into its file, or where it failed without a
// word there and the policy is FallbackToLogsOnError, the end of its log.
func message(policy corev1.TerminationMessagePolicy, file, log string, failed bool) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if len(b) > 0 || !failed || policy != corev1.TerminationMessageFallbackToLogsOnError {
		return string(b[max(0, len(b)-maxMessage):]), nil
	}
	lines := strings.SplitAfter(log, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	log = strings.Join(lines[max(0, len(lines)-maxLogLines):], "")
	return log[max(0, len(log)-maxLog):], nil
}
