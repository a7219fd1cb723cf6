package nodes

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// Node is a node of a cluster with the properties that determine what runs on it.
type Node struct {
	Name string
	// Platform is the node's own. OSVersion of a Windows node has three or four parts, or is empty
	// if the node does not report its build.
	Platform platform.Platform
	// BuildFrom is the source of the Windows build: "label", "kernelVersion" or "osImage"; empty if
	// there is none.
	BuildFrom string
	// Version is that of Windows with its revision, 10.0.20348.2700, from kernelVersion; empty if
	// the node does not report it.
	Version string
	// Notes are contradictions and omissions in what the node reports.
	Notes []string

	object corev1.Node // labels, spec and allocatable
}

// MarshalJSON writes the properties that scripts may need.
func (n Node) MarshalJSON() ([]byte, error) {
	taints := []string{}
	for _, t := range n.object.Spec.Taints {
		taints = append(taints, t.ToString())
	}
	return json.Marshal(struct {
		Name          string   `json:"name"`
		Platform      string   `json:"platform"`
		WindowsBuild  string   `json:"windowsBuild,omitempty"`
		BuildFrom     string   `json:"windowsBuildFrom,omitempty"`
		Taints        []string `json:"taints"`
		Unschedulable bool     `json:"unschedulable,omitempty"`
		Notes         []string `json:"notes,omitempty"`
	}{n.Name, n.platform(), n.Platform.OSVersion, n.BuildFrom, taints, n.object.Spec.Unschedulable, n.Notes})
}

// platform writes the node's platform: windows/amd64:ltsc2022, or windows/amd64 without a build.
func (n Node) platform() string {
	switch {
	case n.Platform.OS == "" || n.Platform.Architecture == "":
		return "unknown"
	case n.Platform.OSVersion == "":
		return n.Platform.OS + "/" + n.Platform.Architecture
	}
	p := n.Platform
	p.OSVersion = platform.Short(p.OSVersion)
	return p.String()
}

// newNode reads what a node reports. The kubelet sets nodeInfo, and labels from it; if nodeInfo is
// empty, as on nodes that no kubelet has joined yet, the labels count.
func newNode(o *corev1.Node) Node {
	n := Node{Name: o.Name}
	n.object.Name, n.object.Labels, n.object.Spec, n.object.Status.Allocatable = o.Name, o.Labels,
		o.Spec, o.Status.Allocatable
	info := o.Status.NodeInfo
	n.Platform.OS = n.reported("operating system", info.OperatingSystem, corev1.LabelOSStable)
	n.Platform.Architecture = n.reported("architecture", info.Architecture, corev1.LabelArchStable)
	if n.Platform.OS == platform.Windows {
		n.build(info)
	}
	return n
}

// reported returns the value in nodeInfo, or else the label.
func (n *Node) reported(what, info, label string) string {
	value := n.object.Labels[label]
	switch {
	case info == "" && value == "":
		n.Notes = append(n.Notes,
			fmt.Sprintf("the node does not report its %s: nodeInfo and the label %s are missing", what, label))
	case info == "":
		return value
	case value != "" && value != info:
		n.Notes = append(n.Notes,
			fmt.Sprintf("the label %s is %s, but the node is %s: correct the label", label, value, info))
	}
	return info
}

var (
	buildForm  = lazyregexp.New(`^10\.0\.[1-9][0-9]{3,5}(\.[0-9]{1,6})?$`)
	serverYear = lazyregexp.New(`\bWindows Server (\d{4})\b`)
)

// build finds the Windows build: in the label that the kubelet sets, or else in nodeInfo.
func (n *Node) build(info corev1.NodeSystemInfo) {
	kernel, _, _ := strings.Cut(info.KernelVersion, " ")
	if !buildForm.MatchString(kernel) {
		kernel = ""
	}
	if strings.Count(kernel, ".") == 3 {
		n.Version = kernel
	}
	label := n.object.Labels[corev1.LabelWindowsBuild]
	valid := buildForm.MatchString(label)
	switch {
	case valid:
		n.Platform.OSVersion, n.BuildFrom = label, "label"
		if kernel != "" && platform.Build(kernel) != platform.Build(label) {
			n.Notes = append(n.Notes, fmt.Sprintf("the label %s is %s, but the node runs %s: correct the label",
				corev1.LabelWindowsBuild, label, kernel))
			n.Platform.OSVersion, n.BuildFrom = kernel, "kernelVersion"
		}
		return
	case label != "":
		n.Notes = append(n.Notes, fmt.Sprintf("the label %s is %q, not a Windows build such as 10.0.20348: correct it",
			corev1.LabelWindowsBuild, label))
	}
	if kernel != "" {
		n.Platform.OSVersion, n.BuildFrom = kernel, "kernelVersion"
		return
	}
	if m := serverYear.FindStringSubmatch(info.OSImage); m != nil {
		for _, r := range platform.LTSC {
			if r.Name == "ltsc"+m[1] {
				n.Platform.OSVersion, n.BuildFrom = r.Version, "osImage"
				return
			}
		}
	}
	n.Notes = append(n.Notes,
		fmt.Sprintf("the node does not report its Windows build: "+
			"the label %s is missing, and nodeInfo has kernelVersion %q and osImage %q",
			corev1.LabelWindowsBuild, info.KernelVersion, info.OSImage))
}
