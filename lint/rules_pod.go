package lint

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/render/workload"
)

// podRules are about fields of Windows pods and containers outside their security context.
var podRules = []Rule{
	{
		ID: "windows-host-network", Severity: Error, OS: windows,
		check: func(p *pod, report reportFunc) { ifHostNetwork(p, report) },
		Title: "on Windows only HostProcess pods have the host's network",
		Reason: "A Windows container always has a network compartment of its own; " +
			"the kubelet cannot ask for the host's.",
		Instead: "a Service or `hostPort` to be reached through the node, or a HostProcess pod",
		Link:    linkHostNetwork,
		Changed: "HostProcess pods (1.26) must set it. For others, " +
			"1.26 to 1.32 had the feature gate WindowsHostNetwork, which never left alpha; 1.33 has no code for it.",
	},
	{
		ID: "windows-host-pid", Severity: Error, OS: windows,
		check:   inSpec("hostPID", func(s *corev1.PodSpec) bool { return s.HostPID }),
		Title:   "Windows containers cannot share the host's processes",
		Reason:  "Windows isolates the processes of a container by a job object and has no host namespace to join.",
		Instead: "remove it; to see the node's processes, run a HostProcess pod",
		Link:    linkPod, Rejected: "1.25",
	},
	{
		ID: "windows-host-ipc", Severity: Error, OS: windows,
		check:   inSpec("hostIPC", func(s *corev1.PodSpec) bool { return s.HostIPC }),
		Title:   "Windows containers cannot share the host's IPC",
		Reason:  "Windows has no IPC namespaces.",
		Instead: "remove it; to talk to a program on the node, mount its named pipe",
		Link:    linkPod, Rejected: "1.25",
	},
	{
		ID: "windows-host-users", Severity: Error, OS: windows,
		check: inSpec("hostUsers", func(s *corev1.PodSpec) bool { return s.HostUsers != nil }),
		Title: "Windows has no user namespaces",
		Reason: "The accounts of a Windows container are never those of its node; " +
			"the field has nothing to switch on or off.",
		Instead: "remove it",
		Link:    linkPodOS, Since: "1.25", Rejected: "1.25",
		Changed: "The field did not exist.",
	},
	{
		ID: "windows-share-process-namespace", Severity: Error, OS: windows,
		check:   shareProcessNamespace,
		Title:   "Windows containers of a pod cannot see each other's processes",
		Reason:  "Containers of a Windows pod share the network and volumes only.",
		Instead: "remove it; let the containers talk through the network or a volume",
		Link:    linkPod, Rejected: "1.25",
	},
	{
		ID: "windows-pod-resources", Severity: Error, OS: windows,
		check:   inSpec("resources", func(s *corev1.PodSpec) bool { return s.Resources != nil }),
		Title:   "only containers have resources on Windows, not pods",
		Reason:  "Resources of a pod are a control group, which Windows does not have: nothing limits the containers.",
		Instead: "`resources` of each container",
		Link:    linkPodOS, Since: "1.32", Rejected: "1.34",
		Changed: "The field did not exist.",
	},
	{
		ID: "windows-dns-policy", Severity: Warning, OS: windows,
		check: hostNetPolicy,
		Title: "dnsPolicy ClusterFirstWithHostNet is not supported on Windows",
		Reason: "The policy is for pods on the host's network, " +
			"which on Windows are HostProcess pods. Other pods get ClusterFirst instead.",
		Instead: "`ClusterFirst`, which is the default",
		Link:    linkPod,
	},
	{
		ID: "windows-termination-message-path", Severity: Note, OS: windows,
		check: inContainers(func(c workload.Container, report reportFunc) {
			if c.TerminationMessagePath != "" && c.TerminationMessagePath != corev1.TerminationMessagePathDefault {
				report("", "terminationMessagePath")
			}
		}),
		Title: "a terminationMessagePath is a file mounted into the container, " +
			"which not every Windows runtime can do",
		Reason: "The kubelet creates the file and has the runtime mount it. containerd can, " +
			"unless the image has a file of that name; Docker cannot.",
		Instead: "the default, `/dev/termination-log`, which no Windows image has, " +
			"or `terminationMessagePolicy: FallbackToLogsOnError`",
		Link: linkContainer,
		Changed: "No runtime could mount single files; " +
			"containerd, which has been the runtime on Windows since Docker's shim left in 1.24, can.",
	},
	{
		ID: "windows-termination-grace-period", Severity: Note, OS: windows, check: gracePeriods,
		Title: "the pod asks for a grace period of more than 5 seconds, which not every Windows runtime gives",
		Reason: "containerd sends CTRL_SHUTDOWN_EVENT and waits for the grace period. With Docker, " +
			"and with containerd before 1.6.19 for images based on Server Core, " +
			"Windows ends the processes after the time in the container's registry: 5 seconds.",
		Instead: "an end within 5 seconds, a `preStop` hook, which runs before them, " +
			"or a longer `WaitToKillServiceTimeout` (milliseconds) under " +
			"`HKLM\\SYSTEM\\CurrentControlSet\\Control` in the image's registry",
		Link: linkPod,
		Changed: "Windows waited 5 seconds whatever the grace period; " +
			"containerd, which has been the runtime on Windows since Docker's shim left in 1.24, " +
			"puts a longer time into the registry of each container since 1.6.19.",
	},
	{
		ID: "windows-resource-requests", Severity: Warning, OS: windows, Folds: true, check: withoutRequests,
		Title: "the container requests no CPU or no memory",
		Reason: "Windows never kills a process when memory runs out, it pages: " +
			"a node with too many pods becomes slow for all of them. Requests, which the scheduler subtracts, " +
			"are the only protection. An init container that ends before the others start has what they request, " +
			"and needs none of its own.",
		Instead: "`resources.requests` with `cpu` and `memory`, or limits, which are the default of requests",
		Link:    linkResources,
	},
	{
		ID: "windows-huge-pages", Severity: Error, OS: windows, check: each(hugePageResources, hugePageVolumes),
		Title: "Windows containers have no huge pages",
		Reason: "Huge pages need a privilege that Windows containers cannot have; no Windows node offers the " +
			"resource, so the pod stays pending.",
		Instead: "remove it",
		Link:    linkContainer,
	},
	{
		ID: "windows-stop-signal", Severity: Error, OS: windows,
		check: inContainers(func(c workload.Container, report reportFunc) {
			if l := c.Lifecycle; l != nil && l.StopSignal != nil && *l.StopSignal != corev1.SIGTERM &&
				*l.StopSignal != corev1.SIGKILL {
				report("", "lifecycle", "stopSignal")
			}
		}),
		Title: "the only stop signals on Windows are SIGTERM and SIGKILL",
		Reason: "Windows has no signals. containerd turns SIGTERM into CTRL_SHUTDOWN_EVENT, " +
			"and SIGKILL ends the process.",
		Instead: "`SIGTERM`, `SIGKILL` or nothing, and a `preStop` hook for a gentler end",
		Link:    "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/#custom-stop-signals",
		Since:   "1.33", Rejected: "1.33",
		Changed: "The field did not exist.",
	},
}
