package workload

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/platform"
)

// LabelOSBeta is what [corev1.LabelOSStable] was called before Kubernetes 1.14. The kubelet still
// sets both to the same value.
const LabelOSBeta = "beta.kubernetes.io/os"

// labelsControlPlane are those of nodes that run the control plane, by their names of today and
// before Kubernetes 1.24. The control plane runs on Linux.
var labelsControlPlane = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// Node is what is known of a node that a pod may select.
type Node struct {
	Labels map[string]string
	// labels that it does not have; one that is neither here nor in Labels is unknown
	Without []string
}

// Admits reports whether a pod's node selector and required node affinity let it run on a node.
// What they ask of unknown labels is taken to be so.
func Admits(spec *corev1.PodSpec, n Node) bool {
	for k, v := range spec.NodeSelector {
		if !n.fits(corev1.NodeSelectorRequirement{Key: k, Operator: corev1.NodeSelectorOpIn, Values: []string{v}}) {
			return false
		}
	}
	terms, required := requiredTerms(spec)
	return !required || slices.ContainsFunc(terms, func(t corev1.NodeSelectorTerm) bool {
		return !slices.ContainsFunc(t.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return !n.fits(r) })
	})
}

// requiredTerms returns the alternatives of the required node affinity. A term that asks nothing
// matches no node.
func requiredTerms(spec *corev1.PodSpec) (terms []corev1.NodeSelectorTerm, required bool) {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil || spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil, false
	}
	for _, t := range spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(t.MatchExpressions) > 0 || len(t.MatchFields) > 0 {
			terms = append(terms, t)
		}
	}
	return terms, true
}

// fits reports whether a node may have what is asked of one label.
func (n Node) fits(r corev1.NodeSelectorRequirement) bool {
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
		return r.Operator == corev1.NodeSelectorOpGt && have > bound || r.Operator == corev1.NodeSelectorOpLt && have < bound
	}
	return false
}

// OperatingSystems returns the operating systems of the nodes that a pod may run on, sorted, by its node
// selector and required node affinity; of systems that Kubernetes has no nodes with, those that
// the pod itself names. selects is false where these leave the system open, and names are then
// those of all nodes. The label node.kubernetes.io/windows-build is on Windows nodes alone, and
// those of control-plane nodes on Linux nodes alone.
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
	said := len(terms) > 0
	for _, t := range terms {
		says := false
		for _, r := range t.MatchExpressions {
			switch {
			case r.Key == corev1.LabelWindowsBuild:
				says = says || r.Operator != corev1.NodeSelectorOpNotIn
			case slices.Contains(labelsControlPlane, r.Key):
				says = says || r.Operator == corev1.NodeSelectorOpIn || r.Operator == corev1.NodeSelectorOpExists
			case r.Key != corev1.LabelOSStable && r.Key != LabelOSBeta:
			case r.Operator == corev1.NodeSelectorOpIn:
				all, says = append(all, r.Values...), true
			case r.Operator == corev1.NodeSelectorOpNotIn:
				says = says || slices.Contains(r.Values, platform.Linux) || slices.Contains(r.Values, platform.Windows)
			}
		}
		said = said && says
	}
	slices.Sort(all)
	for _, os := range slices.Compact(all) {
		if Admits(spec, nodeOf(os)) {
			names = append(names, os)
		}
	}
	return names, selects || said
}

// nodeOf is what is known of a node by its system.
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
