package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/render/workload"
)

func ifHostNetwork(p *pod, report reportFunc) {
	if p.spec.HostNetwork && !p.hostProcess() {
		report("", "hostNetwork")
	}
}

// privileged reports containers that ask for privileges and, if the API server refuses the field
// itself, every container that has it.
func privileged(p *pod, report reportFunc) {
	inSecurity("privileged", func(s *corev1.SecurityContext) bool {
		return s.Privileged != nil && (*s.Privileged || p.named(windows))
	})(p, report)
}

// shareProcessNamespace is [privileged] for that field.
func shareProcessNamespace(p *pod, report reportFunc) {
	if share := p.spec.ShareProcessNamespace; share != nil && (*share || p.named(windows)) {
		report("", "shareProcessNamespace")
	}
}

// hostNetPolicy reports the DNS policy for the host's network in a pod that is not on it.
func hostNetPolicy(p *pod, report reportFunc) {
	if p.spec.DNSPolicy == corev1.DNSClusterFirstWithHostNet && (!p.spec.HostNetwork || !p.hostProcess()) {
		report("", "dnsPolicy")
	}
}

// subPaths reports mounts of a part of a volume.
func subPaths(p *pod, report reportFunc) {
	if p.hostProcess() {
		return
	}
	written := map[string]bool{} // volumes whose files the kubelet writes
	for _, v := range p.spec.Volumes {
		written[v.Name] = v.ConfigMap != nil || v.Secret != nil || v.Projected != nil || v.DownwardAPI != nil
	}
	inMounts(func(m corev1.VolumeMount, report reportFunc) {
		switch {
		case written[m.Name]:
		case m.SubPath != "":
			report("", "subPath")
		case m.SubPathExpr != "":
			report("", "subPathExpr")
		}
	})(p, report)
}

// windowsGrace is the time in seconds after which Windows itself ends the processes of a container.
const windowsGrace = 5

// gracePeriods reports grace periods that are longer than the one of Windows itself: the pod's,
// and those of probes that end a container. The default of 30 seconds is accepted, and so are
// HostProcess containers, which use the registry of their node.
func gracePeriods(p *pod, report reportFunc) {
	if p.hostProcess() {
		return
	}
	if s := p.spec.TerminationGracePeriodSeconds; s != nil && *s > windowsGrace {
		report("", "terminationGracePeriodSeconds")
	}
	inContainers(func(c workload.Container, report reportFunc) {
		for _, probe := range []struct {
			field string
			*corev1.Probe
		}{{"livenessProbe", c.LivenessProbe}, {"startupProbe", c.StartupProbe}} {
			if probe.Probe != nil && probe.TerminationGracePeriodSeconds != nil &&
				*probe.TerminationGracePeriodSeconds > windowsGrace {
				report("", probe.field, "terminationGracePeriodSeconds")
			}
		}
	})(p, report)
}

// withoutRequests reports containers that request no CPU or no memory. A limit is the default of a
// request; ephemeral containers cannot have requests. An init container that ends before the others
// start has what they request.
func withoutRequests(p *pod, report reportFunc) {
	for _, c := range workload.Containers(p.spec) {
		ends := c.Path[0] == "initContainers" &&
			(c.RestartPolicy == nil || *c.RestartPolicy != corev1.ContainerRestartPolicyAlways)
		if ends || c.Path[0] == "ephemeralContainers" {
			continue
		}
		var lacks []string
		for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			_, requested := c.Resources.Requests[r]
			_, limited := c.Resources.Limits[r]
			if !requested && !limited {
				lacks = append(lacks, string(r))
			}
		}
		if len(lacks) > 0 {
			report(fmt.Sprintf("container %s requests no %s", c.Name, strings.Join(lacks, " and no ")), c.Path...)
		}
	}
}

func hugePageResources(p *pod, report reportFunc) {
	for _, c := range workload.Containers(p.spec) {
		for _, list := range []struct {
			field     string
			resources corev1.ResourceList
		}{{"limits", c.Resources.Limits}, {"requests", c.Resources.Requests}} {
			for _, name := range slices.Sorted(maps.Keys(list.resources)) {
				if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
					below(report, c.Path...)("", "resources", list.field, string(name))
				}
			}
		}
	}
}

func hugePageVolumes(p *pod, report reportFunc) {
	inVolumes(func(v corev1.Volume, report reportFunc) {
		if v.EmptyDir != nil && strings.HasPrefix(string(v.EmptyDir.Medium), string(corev1.StorageMediumHugePages)) {
			report("", "emptyDir", "medium")
		}
	})(p, report)
}

func fileHostPath(v corev1.Volume, report reportFunc) {
	if h := v.HostPath; h != nil && h.Type != nil &&
		(*h.Type == corev1.HostPathFile || *h.Type == corev1.HostPathFileOrCreate) {
		report("", "hostPath", "type")
	}
}

// fileModes reports the modes of the files in a volume: defaultMode, and mode of items.
func fileModes(v corev1.Volume, report reportFunc) {
	switch {
	case v.Secret != nil:
		modes(v.Secret.DefaultMode, v.Secret.Items, keyMode, below(report, "secret"))
	case v.ConfigMap != nil:
		modes(v.ConfigMap.DefaultMode, v.ConfigMap.Items, keyMode, below(report, "configMap"))
	case v.DownwardAPI != nil:
		modes(v.DownwardAPI.DefaultMode, v.DownwardAPI.Items, fieldMode, below(report, "downwardAPI"))
	case v.Projected != nil:
		modes(v.Projected.DefaultMode, nil, keyMode, below(report, "projected"))
		for n, s := range v.Projected.Sources {
			source := below(report, "projected", "sources", n)
			switch {
			case s.Secret != nil:
				modes(nil, s.Secret.Items, keyMode, below(source, "secret"))
			case s.ConfigMap != nil:
				modes(nil, s.ConfigMap.Items, keyMode, below(source, "configMap"))
			case s.DownwardAPI != nil:
				modes(nil, s.DownwardAPI.Items, fieldMode, below(source, "downwardAPI"))
			}
		}
	}
}

func modes[Item any](byDefault *int32, items []Item, mode func(Item) *int32, report reportFunc) {
	if byDefault != nil {
		report("", "defaultMode")
	}
	for n, i := range items {
		if mode(i) != nil {
			report("", "items", n, "mode")
		}
	}
}

func keyMode(i corev1.KeyToPath) *int32               { return i.Mode }
func fieldMode(i corev1.DownwardAPIVolumeFile) *int32 { return i.Mode }
