package lint

import "slices"

// Severity is what a finding means for a release.
type Severity string

// The severities, the most serious first.
const (
	// the API server refuses the object, or a node does not do what the manifest says: ends a
	// release
	Error   Severity = "error"
	Warning Severity = "warning" // the pod may run, but not everywhere, or not as its author intends
	Note    Severity = "note"    // it works today, but not with every runtime that a node may have
)

// Rule is one kind of mistake in a manifest.
type Rule struct {
	ID       string   // in findings and after slipway:allow
	Severity Severity // of its findings
	OS       string   // the operating system of the pods that it applies to; "" for both
	Title    string   // the problem: a sentence without full stop
	Reason   string   // what a node, the scheduler or the API server does, and why
	Instead  string   // what to write instead
	Link     string   // documentation
	Since    string   // first Kubernetes release with the field; "" if every supported one has it
	Rejected string   // first Kubernetes release whose API server refuses it if spec.os.name is OS; "" if none does
	Changed  string   // how Kubernetes today differs from the enhancement of 2019
	Seen     string   // where it happened, in Markdown
	// Ignored marks a field that Windows nodes ignore without harm: its findings are warnings
	// unless the API server refuses the pod because of spec.os.name.
	Ignored bool
	// Folds marks advice that is the same for every pod: text output has it once.
	Folds bool
	// Strict marks a rule whose findings are errors in a release if the text must be an image.
	Strict bool
	// ReleaseOnly marks a rule that needs all manifests of a release.
	ReleaseOnly bool

	// check calls report for each place of a pod that breaks the rule. A nil check is for rules
	// about anything but the fields of pods.
	check func(p *pod, report reportFunc)
}

// reportFunc reports a place that breaks a rule: the message, "" for the rule's title, and a path
// of keys and indices below the pod's spec.
type reportFunc func(what string, path ...any)

// Enhancement is the proposal that first listed what works on Windows nodes, and what never will.
const Enhancement = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-windows/116-windows-node-support#api-reference"

// Pages of the Kubernetes documentation that rules refer to.
const (
	linkPodOS       = "https://kubernetes.io/docs/concepts/workloads/pods/#pod-os"
	linkLabels      = "https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os"
	linkBetaLabel   = "https://kubernetes.io/docs/reference/labels-annotations-taints/#beta-kubernetes-io-os-deprecated"
	linkContainer   = "https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers"
	linkPod         = "https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod"
	linkPodSecurity = "https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers-securitycontext"
	linkHostNetwork = "https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers-hostnetwork"
	linkStorage     = "https://kubernetes.io/docs/concepts/storage/windows-storage/"
	linkUserName    = "https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/#windows-username-limitations"
	linkHostProcess = "https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/"
	linkResources   = "https://kubernetes.io/docs/concepts/configuration/windows-resource-management/"
	linkTaints      = "https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations"
	linkVersions    = "https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility"
	linkKpack       = "https://github.com/buildpacks-community/kpack/blob/main/docs/image.md"
)

// group is the rules of one table of docs/rules.md.
type group struct {
	title string
	rules []Rule
}

var groups = []group{
	{"Objects", objectRules},
	{"The operating system of a pod", osRules},
	{"Windows pods", podRules},
	{"Windows pods: security context", securityRules},
	{"Windows pods: volumes", volumeRules},
	{"HostProcess pods", hostProcessRules},
	{"Linux pods", linuxRules},
	{"Images", imageRules},
	{"Images of registries and archives", indexRules},
	{"Images of registries and archives: signatures, attestations and tags", evidenceRules},
	{"Images of registries and archives: archives", archiveRules},
	{"Images of registries and archives: age", ageRules},
	{"Images of registries and archives: layers", insideRules},
	{"Charts", chartRules},
	{"slipway.yaml", productRules},
	{"kpack", kpackRules},
	{"Allowed findings", allowRules},
}

// rules are the rules of all groups.
var rules = func() []Rule {
	var all []Rule
	for _, g := range groups {
		all = append(all, g.rules...)
	}
	return all
}()

// IndexRules returns the rules about images, and about what names them for slipway audit.
func IndexRules() []Rule {
	return slices.Concat(indexRules, evidenceRules, archiveRules, ageRules, insideRules)
}

// Rules returns all rules.
func Rules() []Rule { return slices.Clone(rules) }

// rule returns the rule of an ID, which must exist.
func rule(id string) Rule {
	return rules[slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })]
}

// about reports whether the rule applies to pods for some operating systems. To a pod that selects
// none, only rules for both apply.
func (r Rule) about(os []string) bool { return r.OS == "" || slices.Contains(os, r.OS) }

// severity returns the severity of the rule's findings in a pod.
func (r Rule) severity(p *pod) Severity {
	if r.Ignored && !p.named(windows) {
		return Warning
	}
	return r.Severity
}

// HelpURI returns the address of the rule's description in docs/rules.md.
func (r Rule) HelpURI() string { return rulesPage + "#" + r.ID }

const rulesPage = "https://github.com/slipway-dev/slipway/blob/main/docs/rules.md"
