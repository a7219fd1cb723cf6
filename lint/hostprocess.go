package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/render/workload"
)

func isHostProcess(spec *corev1.PodSpec, c workload.Container) bool {
	o := option(spec, c, "hostProcess", func(o *corev1.WindowsSecurityContextOptions) *bool { return o.HostProcess })
	return o.value != nil && *o.value
}

// hostProcessAt reports whether the container at a path, or that of a field of it, is a HostProcess
// container.
func hostProcessAt(spec *corev1.PodSpec, path []any) bool {
	return slices.ContainsFunc(workload.Containers(spec), func(c workload.Container) bool {
		return slices.Equal(c.Path, path[:min(len(path), 2)]) && isHostProcess(spec, c)
	})
}

// hostProcess reports whether any container of the pod is a HostProcess container.
func (p *pod) hostProcess() bool {
	return slices.ContainsFunc(workload.Containers(p.spec), func(c workload.Container) bool {
		return isHostProcess(p.spec, c)
	})
}

func hostProcessNetwork(p *pod, report reportFunc) {
	if p.hostProcess() && !p.spec.HostNetwork {
		report("", "hostNetwork")
	}
}

// hostProcessMixed reports containers that differ from the others. The API server also refuses a
// container that contradicts its pod, even if all containers agree.
func hostProcessMixed(p *pod, report reportFunc) {
	if !p.hostProcess() {
		return
	}
	var ofPod *bool
	if sc := p.spec.SecurityContext; sc != nil && sc.WindowsOptions != nil {
		ofPod = sc.WindowsOptions.HostProcess
	}
	for _, c := range workload.Containers(p.spec) {
		own := c.SecurityContext != nil && c.SecurityContext.WindowsOptions != nil &&
			c.SecurityContext.WindowsOptions.HostProcess != nil
		switch {
		case own && ofPod != nil && *c.SecurityContext.WindowsOptions.HostProcess != *ofPod:
			below(report, c.Path...)(fmt.Sprintf("container %s contradicts its pod, whose hostProcess is %t",
				c.Name, *ofPod), "securityContext", "windowsOptions", "hostProcess")
		case !isHostProcess(p.spec, c):
			report(fmt.Sprintf("container %s is not a HostProcess container, but others of its pod are", c.Name),
				c.Path...)
		}
	}
}

func hostProcessUser(p *pod, report reportFunc) {
	for _, c := range workload.Containers(p.spec) {
		if !isHostProcess(p.spec, c) {
			continue
		}
		user := userName(p.spec, c)
		switch {
		case user.value == nil:
			report(fmt.Sprintf("container %s has no runAsUserName", c.Name), c.Path...)
		case strings.EqualFold(*user.value, "ContainerUser") ||
			strings.EqualFold(*user.value, "ContainerAdministrator"):
			report(fmt.Sprintf("only containers have the account %s, not nodes", *user.value), user.path...)
		}
	}
}

func hostProcessNonRoot(p *pod, report reportFunc) {
	for _, c := range workload.Containers(p.spec) {
		if path, is := nonRoot(p.spec, c); is && isHostProcess(p.spec, c) {
			report("", path...)
		}
	}
}

// hostProcessPipe reports volumes that are named pipes or sockets of the node.
func hostProcessPipe(p *pod, report reportFunc) {
	if !p.hostProcess() {
		return
	}
	inVolumes(func(v corev1.Volume, report reportFunc) {
		if v.HostPath != nil && isPipe(v.HostPath.Path) {
			report("", "hostPath", "path")
		}
	})(p, report)
}

func isPipe(path string) bool {
	p := strings.ToLower(strings.ReplaceAll(path, "/", `\`))
	return strings.HasPrefix(p, `\\.\pipe\`) || strings.HasPrefix(p, `\\?\pipe\`) || strings.HasSuffix(p, ".sock")
}
