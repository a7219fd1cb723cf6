package lint

import corev1 "k8s.io/api/core/v1"

// securityRules are about the securityContext of Windows pods and containers. The API server
// refuses most of these fields if spec.os.name is windows, whatever their value; without it,
// Windows nodes ignore them. Most fields harden a container: ignoring them (Ignored) does no
// harm. A pod that asks for a privilege, or a setting of the kernel, does not get what it needs.
var securityRules = []Rule{
	{
		ID: "windows-privileged", Severity: Error, OS: windows,
		check: privileged,
		Title: "Windows has no privileged containers",
		Reason: "Every Windows container runs behind a filter of the kernel's namespaces and " +
			"cannot use the host's privileges.",
		Instead: "remove it; for work on the node itself, `windowsOptions.hostProcess: true`",
		Link:    linkContainer, Rejected: "1.25",
		Changed: "Windows had no equivalent; HostProcess containers have been one since 1.26.",
	},
	{
		ID: "windows-capabilities", Severity: Error, OS: windows, Ignored: true,
		check:   inSecurity("capabilities", func(s *corev1.SecurityContext) bool { return s.Capabilities != nil }),
		Title:   "Windows has no POSIX capabilities",
		Reason:  "The account of a process determines what it may do.",
		Instead: "remove it; choose the account with `windowsOptions.runAsUserName`",
		Link:    linkContainer, Rejected: "1.25",
	},
	{
		ID: "windows-allow-privilege-escalation", Severity: Error, OS: windows, Ignored: true,
		check: inSecurity("allowPrivilegeEscalation", func(s *corev1.SecurityContext) bool {
			return s.AllowPrivilegeEscalation != nil
		}),
		Title:   "allowPrivilegeEscalation has no effect on Windows",
		Reason:  "The field sets the kernel flag no_new_privs, which Windows does not have.",
		Instead: "remove it and set `os.name: windows`: Pod Security (1.25) does not require it then",
		Link:    linkContainer, Rejected: "1.25",
	},
	{
		ID: "windows-read-only-root-filesystem", Severity: Error, OS: windows, Ignored: true,
		check: inSecurity("readOnlyRootFilesystem", func(s *corev1.SecurityContext) bool {
			return s.ReadOnlyRootFilesystem != nil
		}),
		Title: "Windows containers always write to their root filesystem",
		Reason: "The registry and the account database of a container " +
			"are files that system processes in it must write.",
		Instead: "remove it; `volumeMounts` may be `readOnly`",
		Link:    linkContainer, Rejected: "1.25",
	},
	{
		ID: "windows-proc-mount", Severity: Error, OS: windows, Ignored: true,
		check:   inSecurity("procMount", func(s *corev1.SecurityContext) bool { return s.ProcMount != nil }),
		Title:   "Windows has no /proc",
		Reason:  "Windows has no such filesystem to mount.",
		Instead: "remove it",
		Link:    linkContainer, Rejected: "1.25",
	},
	{
		ID: "windows-selinux", Severity: Error, OS: windows, Ignored: true,
		check: each(
			inPodSecurity("seLinuxOptions", func(s *corev1.PodSecurityContext) bool { return s.SELinuxOptions != nil }),
			inSecurity("seLinuxOptions", func(s *corev1.SecurityContext) bool { return s.SELinuxOptions != nil }),
		),
		Title:   "Windows has no SELinux",
		Reason:  "SELinux is part of the Linux kernel.",
		Instead: "remove it",
		Link:    linkContainer, Rejected: "1.25",
	},
	{
		ID: "windows-selinux-change-policy", Severity: Error, OS: windows, Ignored: true,
		check: inPodSecurity("seLinuxChangePolicy", func(s *corev1.PodSecurityContext) bool {
			return s.SELinuxChangePolicy != nil
		}),
		Title:   "Windows has no SELinux labels to set on volumes",
		Reason:  "SELinux is part of the Linux kernel.",
		Instead: "remove it",
		Link:    linkPodSecurity, Since: "1.32", Rejected: "1.32",
		Changed: "The field did not exist.",
	},
	{
		ID: "windows-seccomp", Severity: Error, OS: windows, Ignored: true,
		check: each(
			inPodSecurity("seccompProfile", func(s *corev1.PodSecurityContext) bool { return s.SeccompProfile != nil }),
			inSecurity("seccompProfile", func(s *corev1.SecurityContext) bool { return s.SeccompProfile != nil }),
		),
		Title:   "Windows has no seccomp",
		Reason:  "System calls are filtered by the Linux kernel only.",
		Instead: "remove it and set `os.name: windows`: Pod Security (1.25) does not require it then",
		Link:    linkPodOS, Rejected: "1.25",
		Changed: "The profile was an annotation.",
	},
	{
		ID: "windows-apparmor", Severity: Error, OS: windows, Ignored: true,
		check: each(
			inPodSecurity("appArmorProfile", func(s *corev1.PodSecurityContext) bool {
				return s.AppArmorProfile != nil
			}),
			inSecurity("appArmorProfile", func(s *corev1.SecurityContext) bool { return s.AppArmorProfile != nil }),
			appArmorAnnotations,
		),
		Title:   "Windows has no AppArmor",
		Reason:  "AppArmor is part of the Linux kernel.",
		Instead: "remove it",
		Link:    linkPodOS, Rejected: "1.30",
		Changed: "The profile was an annotation; the field came with 1.30.",
	},
	{
		ID: "windows-run-as-user", Severity: Error, OS: windows, Ignored: true,
		check: each(
			inPodSecurity("runAsUser", func(s *corev1.PodSecurityContext) bool { return s.RunAsUser != nil }),
			inSecurity("runAsUser", func(s *corev1.SecurityContext) bool { return s.RunAsUser != nil }),
		),
		Title:   "Windows has no numeric users",
		Reason:  "Accounts are security identifiers in each container's own database; the kubelet ignores the number.",
		Instead: "`windowsOptions.runAsUserName`, for example `ContainerUser`",
		Link:    linkContainer, Rejected: "1.25",
		Changed: "No alternative existed; runAsUserName came with 1.18.",
	},
	{
		ID: "windows-run-as-group", Severity: Error, OS: windows, Ignored: true,
		check: each(
			inPodSecurity("runAsGroup", func(s *corev1.PodSecurityContext) bool { return s.RunAsGroup != nil }),
			inSecurity("runAsGroup", func(s *corev1.SecurityContext) bool { return s.RunAsGroup != nil }),
		),
		Title:   "Windows has no numeric groups",
		Reason:  "The kubelet ignores the number.",
		Instead: "remove it; `windowsOptions.runAsUserName` chooses an account, and with it its groups",
		Link:    linkContainer, Rejected: "1.25",
	},
	{
		ID: "windows-run-as-non-root", Severity: Error, OS: windows, check: rootByName,
		Title:   "runAsNonRoot refuses ContainerAdministrator",
		Reason:  "The kubelet treats ContainerAdministrator as root on Windows and does not start the container.",
		Instead: "`windowsOptions.runAsUserName: ContainerUser`, or no runAsNonRoot",
		Link:    linkContainer,
		Changed: "The field had no effect.",
	},
	{
		ID: "windows-run-as-user-name", Severity: Error, OS: windows, check: badUserName,
		Title: "the runAsUserName cannot name an account",
		Reason: "The form is `user` or `DOMAIN\\user`: " +
			"a user of 1 to 104 characters, not only dots and blanks, without any of `\"/\\:;|=,+*?<>@[]`, " +
			"and a NetBIOS or DNS domain of fewer than 256 characters. The API server refuses others.",
		Instead: "for example `ContainerUser`, `ContainerAdministrator` or `NT AUTHORITY\\SYSTEM`",
		Link:    linkUserName, Since: "1.18", Rejected: "1.18",
		Changed: "The field did not exist.",
	},
	{
		ID: "windows-fs-group", Severity: Error, OS: windows, Ignored: true,
		check:   inPodSecurity("fsGroup", func(s *corev1.PodSecurityContext) bool { return s.FSGroup != nil }),
		Title:   "volumes have no owning group on Windows",
		Reason:  "The kubelet does not change owners there: a container and its node have no common accounts.",
		Instead: "remove it; grant access in the volume itself, by its access control lists",
		Link:    linkPodSecurity, Rejected: "1.25",
	},
	{
		ID: "windows-fs-group-change-policy", Severity: Error, OS: windows, Ignored: true,
		check: inPodSecurity("fsGroupChangePolicy", func(s *corev1.PodSecurityContext) bool {
			return s.FSGroupChangePolicy != nil
		}),
		Title:   "volumes have no owning group to change on Windows",
		Reason:  "The kubelet does not change owners there.",
		Instead: "remove it",
		Link:    linkPodSecurity, Rejected: "1.25",
		Changed: "The field did not exist.",
	},
	{
		ID: "windows-supplemental-groups", Severity: Error, OS: windows, Ignored: true,
		check: inPodSecurity("supplementalGroups", func(s *corev1.PodSecurityContext) bool {
			return s.SupplementalGroups != nil
		}),
		Title:   "Windows has no supplemental groups",
		Reason:  "Supplemental groups are numbers, and Windows has no numeric groups.",
		Instead: "remove it; `windowsOptions.runAsUserName` chooses an account, and with it its groups",
		Link:    linkPodSecurity, Rejected: "1.25",
	},
	{
		ID: "windows-supplemental-groups-policy", Severity: Error, OS: windows,
		check: inPodSecurity("supplementalGroupsPolicy", func(s *corev1.PodSecurityContext) bool {
			return s.SupplementalGroupsPolicy != nil
		}),
		Title:   "Windows has no supplemental groups to have a policy for",
		Reason:  "Supplemental groups are numbers, and Windows has no numeric groups.",
		Instead: "remove it",
		Link:    linkPodSecurity, Since: "1.31", Rejected: "1.31",
		Changed: "The field did not exist.",
	},
	{
		ID: "windows-sysctls", Severity: Error, OS: windows,
		check:   inPodSecurity("sysctls", func(s *corev1.PodSecurityContext) bool { return len(s.Sysctls) > 0 }),
		Title:   "Windows has no sysctls",
		Reason:  "Sysctls are settings of the Linux kernel.",
		Instead: "remove it; Windows keeps such settings in the registry of the image",
		Link:    linkPodSecurity, Rejected: "1.25",
	},
}
