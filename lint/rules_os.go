package lint

// osRules are about which system a pod runs on.
var osRules = []Rule{
	{
		ID: "os-missing", Severity: Error, check: osMissing,
		Title: "the pod may run on a node of any operating system",
		Reason: "The scheduler puts a pod on any node that its selectors admit. In a cluster " +
			"with Linux and Windows nodes, a pod that selects no operating system sooner or later " +
			"starts on a node that its images are not for. A pod that requires a control-plane " +
			"node need not select one: those nodes run Linux. Nor need a pod for nodes by name (`spec.nodeName`, " +
			"`kubernetes.io/hostname`), or a static Pod of the control plane (label `tier: " +
			"control-plane`), which no scheduler sees. A toleration requires nothing.",
		Instead: "nodeSelector `kubernetes.io/os: linux` (or `windows`), and the same in `os.name`",
		Link:    linkLabels,
	},
	{
		ID: "os-name-alone", Severity: Error, check: osNameAlone,
		Title: "the scheduler ignores os.name",
		Reason: "`spec.os.name` tells the API server which fields to refuse and Pod Security which to require. " +
			"The scheduler ignores it, and the kubelet of a node with another operating system refuses the pod.",
		Instead: "the same operating system in nodeSelector `kubernetes.io/os`, too",
		Link:    linkPodOS, Since: "1.25",
	},
	{
		ID: "os-conflict", Severity: Error, check: osConflict,
		Title: "node selector, affinity and os.name contradict each other",
		Reason: "A node must match `nodeSelector` and the required node affinity, and its kubelet refuses a pod with " +
			"another `spec.os.name`. If these contradict each other, the pod stays pending or is refused.",
		Instead: "one operating system in `nodeSelector`, in the node affinity and in `os.name`",
		Link:    linkPodOS,
	},
	{
		ID: "os-unknown", Severity: Error, check: osUnknown,
		Title: "the label kubernetes.io/os has only the values linux and windows",
		Reason: "The kubelet sets the label to the operating system that it was compiled for, " +
			"in lower case. A pod that selects another value stays pending.",
		Instead: "`linux` or `windows`",
		Link:    linkLabels,
	},
	{
		ID: "os-beta-label", Severity: Warning, check: betaLabel,
		Title: "the label beta.kubernetes.io/os is deprecated",
		Reason: "The label has been deprecated since Kubernetes 1.14. Nodes still have it, " +
			"but Kubernetes may remove it, and tools that look for the pod's operating system ignore it.",
		Instead: "`kubernetes.io/os`",
		Link:    linkBetaLabel,
		Changed: "No other label named the operating system.",
	},
	{
		ID: "windows-os-name", Severity: Warning, OS: windows, Folds: true, check: windowsWithoutName,
		Title: "the pod selects Windows nodes without os.name",
		Reason: "Without `spec.os.name` the API server treats the pod as one for Linux: it accepts fields " +
			"that Windows ignores, and Pod Security at level restricted requires fields that Windows does not have.",
		Instead: "`os: {name: windows}`",
		Link:    linkPodOS, Since: "1.25",
		Changed: "The field did not exist.",
	},
}

// linuxRules are about pods on Linux.
var linuxRules = []Rule{
	{
		ID: "linux-windows-options", Severity: Error, OS: linux, check: windowsOptionsOnLinux,
		Title:   "windowsOptions are for Windows pods",
		Reason:  "Linux nodes ignore them: `hostProcess` and `runAsUserName` have no effect there.",
		Instead: "remove them, or select Windows nodes",
		Link:    linkPodOS, Rejected: "1.25",
	},
}
