package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/workload"
)

const (
	linux   = platform.Linux
	windows = platform.Windows
)

func osMissing(p *pod, report reportFunc) {
	if p.kpack || p.static || workload.NamesNode(p.spec) {
		return // kpack chooses the operating system, or the manifest the node
	}
	if _, selects := workload.OperatingSystems(p.spec); !selects && p.spec.OS == nil {
		report("")
	}
}

func osNameAlone(p *pod, report reportFunc) {
	if _, selects := workload.OperatingSystems(p.spec); !selects && p.spec.OS != nil {
		report("", "os", "name")
	}
}

func osConflict(p *pod, report reportFunc) {
	list, selects := workload.OperatingSystems(p.spec)
	switch {
	case !selects || len(unknownOS(p.spec)) > 0:
	case len(list) == 0:
		report("no node can have what the node selector and the node affinity ask for together", osField(p.spec)...)
	case p.spec.OS != nil && !slices.Equal(list, []string{string(p.spec.OS.Name)}):
		report(fmt.Sprintf("os.name is %s, but the pod selects nodes with %s",
			p.spec.OS.Name, strings.Join(list, " or ")), "os", "name")
	}
}

// osField is the path of the first field by which a pod selects nodes.
func osField(spec *corev1.PodSpec) []any {
	if len(spec.NodeSelector) > 0 {
		return []any{"nodeSelector"}
	}
	return requiredAffinity
}

var requiredAffinity = []any{"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}

// selector is a value by which a pod selects a label. Operators such as Exists have no value.
type selector struct {
	label, value []any // their paths below the pod's spec
	text         string
	has          bool // it has a value
}

// selectors returns where a pod selects nodes by a label, in required and in preferred terms.
func selectors(spec *corev1.PodSpec, label string) []selector {
	var all []selector
	if v, ok := spec.NodeSelector[label]; ok {
		path := []any{"nodeSelector", label}
		all = append(all, selector{path, path, v, true})
	}
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
		return all
	}
	if r := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for n, t := range r.NodeSelectorTerms {
			all = append(all, inTerm(slices.Concat(requiredAffinity, []any{"nodeSelectorTerms", n}), t, label)...)
		}
	}
	for n, t := range spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		all = append(all,
			inTerm([]any{
				"affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution",
				n, "preference",
			}, t.Preference, label)...)
	}
	return all
}

func inTerm(path []any, term corev1.NodeSelectorTerm, label string) []selector {
	var all []selector
	for n, e := range term.MatchExpressions {
		if e.Key != label {
			continue
		}
		key := slices.Concat(path, []any{"matchExpressions", n, "key"})
		if len(e.Values) == 0 {
			all = append(all, selector{label: key})
		}
		for i, v := range e.Values {
			all = append(all, selector{key, slices.Concat(path, []any{"matchExpressions", n, "values", i}), v, true})
		}
	}
	return all
}

func unknownOS(spec *corev1.PodSpec) []selector {
	return slices.DeleteFunc(selectors(spec, corev1.LabelOSStable), func(s selector) bool {
		return !s.has || s.text == linux || s.text == windows
	})
}

func osUnknown(p *pod, report reportFunc) {
	for _, s := range unknownOS(p.spec) {
		what := fmt.Sprintf("no node has kubernetes.io/os: %q", s.text)
		if lower := strings.ToLower(s.text); lower == linux || lower == windows {
			what += fmt.Sprintf("; did you mean %s?", lower)
		}
		report(what, s.value...)
	}
}

func betaLabel(p *pod, report reportFunc) {
	for _, s := range selectors(p.spec, workload.LabelOSBeta) {
		report("", s.label...)
	}
}

func windowsWithoutName(p *pod, report reportFunc) {
	if list, selects := workload.OperatingSystems(p.spec); selects && p.spec.OS == nil &&
		slices.Equal(list, []string{windows}) && !p.kpack {
		report("")
	}
}

func windowsOptionsOnLinux(p *pod, report reportFunc) {
	if slices.Contains(p.os, windows) {
		return // a pod for both operating systems needs them on Windows
	}
	each(
		inPodSecurity("windowsOptions", func(s *corev1.PodSecurityContext) bool { return s.WindowsOptions != nil }),
		inSecurity("windowsOptions", func(s *corev1.SecurityContext) bool { return s.WindowsOptions != nil }),
	)(p, report)
}

// appArmorAnnotations reports the annotations that chose a profile before the field existed.
func appArmorAnnotations(p *pod, report reportFunc) {
	for _, key := range slices.Sorted(maps.Keys(p.annotations)) {
		if strings.HasPrefix(key, corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix) {
			report("", metadata, "annotations", key)
		}
	}
}
