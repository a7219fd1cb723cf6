package lint

// hostProcessRules are about HostProcess pods, whose containers are processes of the Windows node
// itself (stable since 1.26).
var hostProcessRules = []Rule{
	{
		ID: "host-process-network", Severity: Error, OS: windows, check: hostProcessNetwork,
		Title:   "a HostProcess pod must set hostNetwork",
		Reason:  "Its processes have the node's network, and the API server wants that said.",
		Instead: "`hostNetwork: true`",
		Link:    linkHostProcess + "#hostprocess-pod-configuration-requirements", Since: "1.26", Rejected: "1.26",
		Changed: "There were no HostProcess pods.",
	},
	{
		ID: "host-process-mixed", Severity: Error, OS: windows, check: hostProcessMixed,
		Title:   "all containers of a pod are HostProcess containers, or none is",
		Reason:  "A container behind a namespace filter cannot share the network of one that is not. The API server refuses the pod, and so does one whose containers contradict the pod.",
		Instead: "`hostProcess: true` in `securityContext.windowsOptions` of the pod alone, and other containers in another pod",
		Link:    linkHostProcess + "#limitations", Since: "1.26", Rejected: "1.26",
		Changed: "There were no HostProcess pods.",
	},
	{
		ID: "host-process-user", Severity: Warning, OS: windows, check: hostProcessUser,
		Title:   "the HostProcess container names no account of the node",
		Reason:  "Without `runAsUserName`, or with an account that only containers have, it inherits that of the container runtime: LocalSystem, which may do anything on the node.",
		Instead: "`runAsUserName: NT AUTHORITY\\Local service`, `NT AUTHORITY\\NetworkService`, `NT AUTHORITY\\SYSTEM`, or the name of a local group of the node",
		Link:    linkHostProcess + "#choosing-a-user-account", Since: "1.26",
		Changed: "There were no HostProcess pods.",
	},
	{
		ID: "host-process-run-as-non-root", Severity: Error, OS: windows, check: hostProcessNonRoot,
		Title:   "a HostProcess container cannot be held to runAsNonRoot",
		Reason:  "It has privileged access to its node; the setting would promise the contrary.",
		Instead: "leave it out, or `false`; choose a small account with `runAsUserName`",
		Link:    linkHostProcess + "#hostprocess-pod-configuration-requirements", Since: "1.26",
		Changed: "There were no HostProcess pods.",
	},
	{
		ID: "host-process-pipe", Severity: Error, OS: windows, check: hostProcessPipe,
		Title:   "named pipes and sockets are not mounted into HostProcess containers",
		Reason:  "The process is on the node and opens them by their path there; a mount of them is not supported.",
		Instead: "no volume; open the path itself, such as `\\\\.\\pipe\\containerd-containerd`",
		Link:    linkHostProcess + "#limitations", Since: "1.26",
		Changed: "There were no HostProcess pods.",
	},
}
