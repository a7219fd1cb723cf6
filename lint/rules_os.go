package lint

// osRules are about which system a pod runs on.
var osRules = []Rule{
	{
		ID: "os-missing", Severity: Error, check: osMissing,
		Title:   "the pod may land on a node of any operating system",
		Reason:  "The scheduler puts a pod on any node that its selectors let it. In a cluster with Linux and Windows nodes, one that selects no system is sooner or later started where its images have nothing to run. A pod that requires a control-plane node needs no system: those run Linux. A toleration requires nothing.",
		Instead: "nodeSelector `kubernetes.io/os: linux` (or `windows`), and the same in `os.name`",
		Link:    linkLabels,
	},
	{
		ID: "os-name-alone", Severity: Error, check: osNameAlone,
		Title:   "os.name does not steer the scheduler",
		Reason:  "`spec.os.name` tells the API server which fields to refuse and Pod Security which to ask for. The scheduler ignores it, and the kubelet of a node with another system then refuses the pod.",
		Instead: "nodeSelector `kubernetes.io/os` with the same system beside it",
		Link:    linkPodOS, Since: "1.25",
	},
	{
		ID: "os-conflict", Severity: Error, check: osConflict,
		Title:   "what the pod says about its system does not fit together",
		Reason:  "`nodeSelector` and every required node affinity must hold on a node, and its kubelet refuses a pod of another `spec.os.name`. A pod in which these contradict each other stays pending or is refused.",
		Instead: "one system in `nodeSelector`, in the node affinity and in `os.name`",
		Link:    linkPodOS,
	},
	{
		ID: "os-unknown", Severity: Error, check: osUnknown,
		Title:   "the label kubernetes.io/os has only the values linux and windows",
		Reason:  "The kubelet sets the label to the system it was compiled for, in lower case; Kubernetes has nodes with Linux and with Windows. A pod that selects something else stays pending.",
		Instead: "`linux` or `windows`",
		Link:    linkLabels,
	},
	{
		ID: "os-beta-label", Severity: Warning, check: betaLabel,
		Title:   "the label beta.kubernetes.io/os is deprecated",
		Reason:  "The label has been deprecated since Kubernetes 1.14. Nodes still have it, but they need not, and tools that look for the pod's system do not look for it.",
		Instead: "`kubernetes.io/os`",
		Link:    linkBetaLabel,
		Changed: "It was the only such label, and the one to select by.",
	},
	{
		ID: "windows-os-name", Severity: Warning, OS: windows, Folds: true, check: windowsWithoutName,
		Title:   "the pod selects Windows nodes, but os.name does not say so",
		Reason:  "Without `spec.os.name` the API server takes the pod for a Linux one: it accepts fields that Windows ignores, and Pod Security at level restricted asks for fields that Windows does not have.",
		Instead: "`os: {name: windows}`",
		Link:    linkPodOS, Since: "1.25",
		Changed: "There was no such field.",
	},
}

// linuxRules are about pods on Linux.
var linuxRules = []Rule{
	{
		ID: "linux-windows-options", Severity: Error, OS: linux, check: windowsOptionsOnLinux,
		Title:   "windowsOptions are for Windows pods",
		Reason:  "Linux nodes ignore them: a `hostProcess` or `runAsUserName` that somebody relies on does nothing.",
		Instead: "leave it out, or select Windows nodes",
		Link:    linkPodOS, Rejected: "1.25",
	},
}
