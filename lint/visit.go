package lint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/render/workload"
)

// inSpec checks a field of the pod's spec.
func inSpec(field string, is func(*corev1.PodSpec) bool) func(*pod, reportFunc) {
	return func(p *pod, report reportFunc) {
		if is(p.spec) {
			report("", field)
		}
	}
}

// inPodSecurity checks a field of the pod's securityContext.
func inPodSecurity(field string, is func(*corev1.PodSecurityContext) bool) func(*pod, reportFunc) {
	return func(p *pod, report reportFunc) {
		if sc := p.spec.SecurityContext; sc != nil && is(sc) {
			report("", "securityContext", field)
		}
	}
}

// inSecurity checks a field of the securityContext of each container.
func inSecurity(field string, is func(*corev1.SecurityContext) bool) func(*pod, reportFunc) {
	return inContainers(func(c workload.Container, report reportFunc) {
		if c.SecurityContext != nil && is(c.SecurityContext) {
			report("", "securityContext", field)
		}
	})
}

// inContainers checks each container; paths are below the container.
func inContainers(look func(c workload.Container, report reportFunc)) func(*pod, reportFunc) {
	return func(p *pod, report reportFunc) {
		for _, c := range workload.Containers(p.spec) {
			look(c, below(report, c.Path...))
		}
	}
}

// inMounts checks each volumeMount of each container; paths are below the mount.
func inMounts(look func(m corev1.VolumeMount, report reportFunc)) func(*pod, reportFunc) {
	return inContainers(func(c workload.Container, report reportFunc) {
		for n, m := range c.VolumeMounts {
			look(m, below(report, "volumeMounts", n))
		}
	})
}

// inVolumes checks each volume; paths are below the volume.
func inVolumes(look func(v corev1.Volume, report reportFunc)) func(*pod, reportFunc) {
	return func(p *pod, report reportFunc) {
		for n, v := range p.spec.Volumes {
			look(v, below(report, "volumes", n))
		}
	}
}

// each applies several checks.
func each(finds ...func(*pod, reportFunc)) func(*pod, reportFunc) {
	return func(p *pod, report reportFunc) {
		for _, f := range finds {
			f(p, report)
		}
	}
}

// below returns a reportFunc whose paths are below base.
func below(report reportFunc, base ...any) reportFunc {
	return func(what string, path ...any) { report(what, slices.Concat(base, path)...) }
}

// metadata as the first key of a path means the pod's metadata instead of its spec.
const metadata metaKey = "metadata"

type metaKey string
