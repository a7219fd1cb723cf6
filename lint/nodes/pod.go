package nodes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render/workload"
)

// pod reports which nodes run the pod of an object.
func (c checker) pod(o workload.Object) Pod {
	spec, notes := c.admitted(o)
	out := Pod{Object: o.String(), Place: o.Pod.At().String(), Path: o.Pod.Path(), Notes: notes, Verdicts: []Verdict{}}
	var run []lock.CatalogImage
	var seen []string
	for _, r := range workload.References(spec) {
		ref := r.Image
		if ref == "" || slices.Contains(seen, ref) {
			continue
		}
		seen = append(seen, ref)
		i, ok := c.images.FindTagged(ref)
		switch {
		case !ok:
			out.Notes = append(out.Notes,
				fmt.Sprintf("image %s is not in the lock: nothing is known of its platforms", ref))
			continue
		case i.Unresolved != "":
			out.Notes = append(out.Notes,
				fmt.Sprintf("nothing is known of the platforms of image %s: %s", imageName(i), i.Unresolved))
		}
		run = append(run, i)
	}
	for _, n := range c.nodes {
		reasons := unplaced(spec, n)
		placed := len(reasons) == 0 || spec.NodeName == n.Name
		reasons = append(reasons, refused(spec, n, reasons)...)
		wrong := wrongOS(reasons)
		for _, i := range run {
			if r, ok := lacks(i, n); !ok && (!wrong || r.Kind != "os") {
				reasons = append(reasons, r)
			}
		}
		runs := len(reasons) == 0
		out.Verdicts = append(out.Verdicts, Verdict{n.Name, runs, placed && !runs, reasons})
	}
	return out
}

// admitted returns the pod's spec as the scheduler gets it, and notes about what else a cluster may
// add to it.
func (c checker) admitted(o workload.Object) (*corev1.PodSpec, []string) {
	spec, notes := o.Admitted(c.classes)
	if o.Pod.Kind != workload.Template {
		spec.Containers = []corev1.Container{{Name: "build", Resources: o.Pod.Resources}}
		notes = append([]string{"kpack adds the builder's images and a node selector for its system, " +
			"which are not in the release"}, notes...)
	}
	return spec, notes
}

// wrongOS reports whether the reasons include the operating system of the node.
func wrongOS(reasons []Reason) bool {
	return slices.ContainsFunc(reasons, func(r Reason) bool { return r.Kind == "os" })
}

// refused returns why the kubelet of a node refuses a pod that was placed there, unless the other
// reasons have it.
func refused(spec *corev1.PodSpec, n Node, others []Reason) []Reason {
	if spec.OS == nil || n.Platform.OS == "" || string(spec.OS.Name) == n.Platform.OS || wrongOS(others) {
		return nil
	}
	return []Reason{{
		"os",
		fmt.Sprintf("os.name is %s, the node's is %s: its kubelet refuses the pod", spec.OS.Name, n.Platform.OS),
	}}
}

// unplaced returns why the scheduler does not place a pod on a node.
func unplaced(spec *corev1.PodSpec, n Node) []Reason {
	reasons := append(selects(spec, n), affine(spec, n)...)
	if spec.NodeName != "" && spec.NodeName != n.Name {
		reasons = append(reasons, Reason{"node-name", "nodeName is " + spec.NodeName})
	}
	reasons = append(reasons, tainted(spec, n)...)
	return append(reasons, needs(spec, n)...)
}

// selects compares the node selector with a node's labels.
func selects(spec *corev1.PodSpec, n Node) []Reason {
	var reasons []Reason
	for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
		value := spec.NodeSelector[key]
		one := nodeaffinity.NewRequiredNodeAffinity(map[string]string{key: value}, nil)
		if ok, err := one.Match(&n.object); ok && err == nil {
			continue
		}
		has := "the node has " + n.object.Labels[key]
		if _, ok := n.object.Labels[key]; !ok {
			has = "the node has no such label"
		}
		reasons = append(reasons,
			Reason{selectorKind(key), fmt.Sprintf("nodeSelector asks for %s=%s, %s", key, value, has)})
	}
	return reasons
}

// selectorKind returns the kind of reason for a label.
func selectorKind(label string) string {
	switch label {
	case corev1.LabelOSStable, "beta.kubernetes.io/os":
		return "os"
	case corev1.LabelArchStable, "beta.kubernetes.io/arch":
		return "architecture"
	case corev1.LabelWindowsBuild:
		return "windows-build"
	}
	return "selector"
}

// affine compares the required node affinity with a node.
func affine(spec *corev1.PodSpec, n Node) []Reason {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil ||
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	switch ok, err := nodeaffinity.NewRequiredNodeAffinity(nil, spec.Affinity).Match(&n.object); {
	case err != nil:
		return []Reason{{"affinity", fmt.Sprintf("the required node affinity is malformed: %v", err)}}
	case !ok:
		return []Reason{{"affinity", "the required node affinity asks for " +
			terms(spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)}}
	}
	return nil
}

// terms writes a node selector: "a In (b, c) and d Exists, or e In (f)".
func terms(s *corev1.NodeSelector) string {
	var all []string
	for _, t := range s.NodeSelectorTerms {
		var one []string
		for _, r := range slices.Concat(t.MatchExpressions, t.MatchFields) {
			text := r.Key + " " + string(r.Operator)
			if len(r.Values) > 0 {
				text += " (" + strings.Join(r.Values, ", ") + ")"
			}
			one = append(one, text)
		}
		all = append(all, cmp.Or(strings.Join(one, " and "), "nothing, which matches no node"))
	}
	return strings.Join(all, ", or ")
}

// tainted lists the taints that exclude a pod. A pod that names its node bypasses the scheduler,
// but not NoExecute.
func tainted(spec *corev1.PodSpec, n Node) []Reason {
	taints := slices.Clone(n.object.Spec.Taints)
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	if n.object.Spec.Unschedulable &&
		!slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.MatchTaint(&cordon) }) {
		taints = append(taints, cordon)
	}
	var reasons []Reason
	for _, t := range taints {
		if t.Effect != corev1.TaintEffectNoExecute &&
			(t.Effect != corev1.TaintEffectNoSchedule || spec.NodeName != "") {
			continue
		}
		if workload.Tolerates(spec, t) {
			continue
		}
		if t.MatchTaint(&cordon) {
			reasons = append(reasons, Reason{"unschedulable", "the node is cordoned"})
			continue
		}
		reasons = append(reasons, Reason{"taint", fmt.Sprintf("taint %s is not tolerated", t.ToString())})
	}
	return reasons
}
