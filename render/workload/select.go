package workload

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/platform"
)

// LabelOSBeta is the name of [corev1.LabelOSStable] before Kubernetes 1.14. The kubelet still sets
// both to the same value.
const LabelOSBeta = "beta.kubernetes.io/os"

// labelsControlPlane are the labels of nodes that run the control plane: today's, that before
// Kubernetes 1.24, and those of Rancher's distributions. The control plane runs on Linux.
var labelsControlPlane = []string{
	"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master",
	"node-role.kubernetes.io/controlplane", "node-role.kubernetes.io/etcd",
}

// Node describes a node, of which not every label is known.
type Node struct {
	Labels map[string]string
	// labels that the node does not have; a label in neither field is unknown
	Without []string
}

// Admits reports whether a pod's node selector and required node affinity let it run on a node.
// Unknown labels match.
func Admits(spec *corev1.PodSpec, n Node) bool {
	for k, v := range spec.NodeSelector {
		if !n.matches(corev1.NodeSelectorRequirement{Key: k, Operator: corev1.NodeSelectorOpIn, Values: []string{v}}) {
			return false
		}
	}
	terms, required := requiredTerms(spec)
	return !required || slices.ContainsFunc(terms, func(t corev1.NodeSelectorTerm) bool {
		return !slices.ContainsFunc(t.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool {
			return !n.matches(r)
		})
	})
}

// requiredTerms returns the alternatives of the required node affinity. An empty term matches no
// node.
func requiredTerms(spec *corev1.PodSpec) (terms []corev1.NodeSelectorTerm, required bool) {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil ||
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil, false
	}
	for _, t := range spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(t.MatchExpressions) > 0 || len(t.MatchFields) > 0 {
			terms = append(terms, t)
		}
	}
	return terms, true
}

// matches reports whether a node may match a requirement.
func (n Node) matches(r corev1.NodeSelectorRequirement) bool {
	value, has := n.Labels[r.Key]
	if !has && !slices.Contains(n.Without, r.Key) {
		return true
	}
	switch r.Operator {
	case corev1.NodeSelectorOpIn:
		return has && slices.Contains(r.Values, value)
	case corev1.NodeSelectorOpNotIn:
		return !has || !slices.Contains(r.Values, value)
	case corev1.NodeSelectorOpExists:
		return has
	case corev1.NodeSelectorOpDoesNotExist:
		return !has
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if !has || len(r.Values) != 1 {
			return false
		}
		have, err := strconv.ParseInt(value, 10, 64)
		bound, err2 := strconv.ParseInt(r.Values[0], 10, 64)
		if err != nil || err2 != nil {
			return false
		}
		return r.Operator == corev1.NodeSelectorOpGt && have > bound || r.Operator == corev1.NodeSelectorOpLt &&
			have < bound
	}
	return false
}

// OperatingSystems returns the operating systems, sorted, of the nodes that a pod may run on
// according to its node selector and required node affinity: linux, windows, and others that the
// pod names. selects is false if the pod does not restrict the operating system. Only Windows nodes
// have the label node.kubernetes.io/windows-build, and only Linux nodes those of the control plane.
func OperatingSystems(spec *corev1.PodSpec) (names []string, selects bool) {
	all := []string{platform.Linux, platform.Windows}
	for _, key := range []string{corev1.LabelOSStable, LabelOSBeta} {
		if v, ok := spec.NodeSelector[key]; ok {
			all, selects = append(all, v), true
		}
	}
	for _, key := range append([]string{corev1.LabelWindowsBuild}, labelsControlPlane...) {
		if _, ok := spec.NodeSelector[key]; ok {
			selects = true
		}
	}

	terms, _ := requiredTerms(spec)
	byAffinity := len(terms) > 0
	for _, t := range terms {
		restricts := false
		for _, r := range t.MatchExpressions {
			switch {
			case r.Key == corev1.LabelWindowsBuild:
				restricts = restricts || r.Operator != corev1.NodeSelectorOpNotIn
			case slices.Contains(labelsControlPlane, r.Key):
				restricts = restricts || r.Operator == corev1.NodeSelectorOpIn ||
					r.Operator == corev1.NodeSelectorOpExists
			case r.Key != corev1.LabelOSStable && r.Key != LabelOSBeta:
			case r.Operator == corev1.NodeSelectorOpIn:
				all, restricts = append(all, r.Values...), true
			case r.Operator == corev1.NodeSelectorOpNotIn:
				restricts = restricts || slices.Contains(r.Values, platform.Linux) ||
					slices.Contains(r.Values, platform.Windows)
			}
		}
		byAffinity = byAffinity && restricts
	}
	slices.Sort(all)
	for _, os := range slices.Compact(all) {
		if Admits(spec, nodeOf(os)) {
			names = append(names, os)
		}
	}
	return names, selects || byAffinity
}

// NamesNode reports whether a pod may run only on nodes that it names, whatever these run.
func NamesNode(spec *corev1.PodSpec) bool {
	if _, ok := spec.NodeSelector[corev1.LabelHostname]; ok || spec.NodeName != "" {
		return true
	}
	names := func(r corev1.NodeSelectorRequirement) bool {
		return (r.Key == corev1.LabelHostname || r.Key == metav1.ObjectNameField) &&
			r.Operator == corev1.NodeSelectorOpIn
	}
	terms, _ := requiredTerms(spec)
	for _, t := range terms {
		if !slices.ContainsFunc(t.MatchExpressions, names) && !slices.ContainsFunc(t.MatchFields, names) {
			return false
		}
	}
	return len(terms) > 0
}

// RunsOn returns the operating systems that a pod is for: those of the nodes that it selects, or
// else the named one; nil if the pod states neither.
func RunsOn(spec *corev1.PodSpec) []string {
	list, selects := OperatingSystems(spec)
	if !selects && spec.OS != nil {
		return []string{string(spec.OS.Name)}
	}
	if !selects {
		return nil
	}
	return list
}

// nodeOf returns a node of which only the operating system is known.
func nodeOf(os string) Node {
	n := Node{Labels: map[string]string{corev1.LabelOSStable: os, LabelOSBeta: os}}
	switch os {
	case platform.Windows:
		n.Without = labelsControlPlane
	default:
		n.Without = []string{corev1.LabelWindowsBuild}
	}
	return n
}
