package lint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
)

// inSpec finds a field of the pod's spec.
func inSpec(field string, is func(*corev1.PodSpec) bool) func(*pod, finder) {
	return func(p *pod, found finder) {
		if is(p.spec) {
			found("", field)
		}
	}
}

// inPodSecurity finds a field of the pod's securityContext.
func inPodSecurity(field string, is func(*corev1.PodSecurityContext) bool) func(*pod, finder) {
	return func(p *pod, found finder) {
		if sc := p.spec.SecurityContext; sc != nil && is(sc) {
			found("", "securityContext", field)
		}
	}
}

// inSecurity finds a field of the securityContext of each container.
func inSecurity(field string, is func(*corev1.SecurityContext) bool) func(*pod, finder) {
	return inContainers(func(c workload.Container, found finder) {
		if c.SecurityContext != nil && is(c.SecurityContext) {
			found("", "securityContext", field)
		}
	})
}

// inContainers looks at each container; paths are below the container.
func inContainers(look func(c workload.Container, found finder)) func(*pod, finder) {
	return func(p *pod, found finder) {
		for _, c := range workload.Containers(p.spec) {
			look(c, below(found, c.Path...))
		}
	}
}

// inMounts looks at each volumeMount of each container; paths are below the mount.
func inMounts(look func(m corev1.VolumeMount, found finder)) func(*pod, finder) {
	return inContainers(func(c workload.Container, found finder) {
		for n, m := range c.VolumeMounts {
			look(m, below(found, "volumeMounts", n))
		}
	})
}

// inVolumes looks at each volume; paths are below the volume.
func inVolumes(look func(v corev1.Volume, found finder)) func(*pod, finder) {
	return func(p *pod, found finder) {
		for n, v := range p.spec.Volumes {
			look(v, below(found, "volumes", n))
		}
	}
}

// each runs several.
func each(finds ...func(*pod, finder)) func(*pod, finder) {
	return func(p *pod, found finder) {
		for _, f := range finds {
			f(p, found)
		}
	}
}

// below is a finder whose paths begin at base.
func below(found finder, base ...any) finder {
	return func(what string, path ...any) { found(what, slices.Concat(base, path)...) }
}

// metadata as a path's first key leads into the pod's metadata instead of its spec.
const metadata metaKey = "metadata"

type metaKey string
