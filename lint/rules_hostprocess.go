package lint

// hostProcessRules are about HostProcess pods, whose containers are processes of the Windows node
// itself (stable since 1.26).
var hostProcessRules = []Rule{
	{
		ID: "host-process-network", Severity: Error, OS: windows, check: hostProcessNetwork,
		Title:   "a HostProcess pod must set hostNetwork",
		Reason:  "Its processes have the node's network, and the API server requires that the pod declares it.",
		Instead: "`hostNetwork: true`",
		Link:    linkHostProcess + "#hostprocess-pod-configuration-requirements", Since: "1.26", Rejected: "1.26",
		Changed: "HostProcess pods did not exist.",
	},
	{
		ID: "host-process-mixed", Severity: Error, OS: windows, check: hostProcessMixed,
		Title: "HostProcess containers cannot share a pod with other containers",
		Reason: "A container behind a namespace filter cannot share the network of one without. " +
			"The API server refuses such a pod, and one whose containers contradict the pod's own setting.",
		Instead: "`hostProcess: true` in `securityContext.windowsOptions` of the pod alone, " +
			"and other containers in another pod",
		Link: linkHostProcess + "#limitations", Since: "1.26", Rejected: "1.26",
		Changed: "HostProcess pods did not exist.",
	},
	{
		ID: "host-process-user", Severity: Warning, OS: windows, check: hostProcessUser,
		Title: "the HostProcess container does not name an account of the node",
		Reason: "Without `runAsUserName`, or with an account that only containers have, " +
			"it inherits the account of the container runtime: LocalSystem, which may do anything on the node.",
		Instead: "`runAsUserName: NT AUTHORITY\\Local service`, `NT AUTHORITY\\NetworkService`, " +
			"`NT AUTHORITY\\SYSTEM`, or the name of a local group of the node",
		Link: linkHostProcess + "#choosing-a-user-account", Since: "1.26",
		Changed: "HostProcess pods did not exist.",
	},
	{
		ID: "host-process-run-as-non-root", Severity: Error, OS: windows, check: hostProcessNonRoot,
		Title:   "runAsNonRoot does not restrict a HostProcess container",
		Reason:  "The container has privileged access to its node, whatever the field promises.",
		Instead: "remove it, or `false`; choose an account with few rights by `runAsUserName`",
		Link:    linkHostProcess + "#hostprocess-pod-configuration-requirements", Since: "1.26",
		Changed: "HostProcess pods did not exist.",
	},
	{
		ID: "host-process-pipe", Severity: Error, OS: windows, check: hostProcessPipe,
		Title:   "named pipes and sockets cannot be mounted into HostProcess containers",
		Reason:  "The process runs on the node and opens them by their path there; mounts of them are not supported.",
		Instead: "no volume; open the path itself, such as `\\\\.\\pipe\\containerd-containerd`",
		Link:    linkHostProcess + "#limitations", Since: "1.26",
		Changed: "HostProcess pods did not exist.",
	},
}
