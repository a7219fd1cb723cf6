package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlaces looks into every list of containers, every kind of volume and both security
// contexts: the path of each finding.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		name, manifest string
		want           []string
	}{
		{
			"containers of every list",
			windowsPod("initContainers: [" + main(", securityContext: {privileged: false}") + "]\ncontainers: [" +
				main("") + ", " + main(", securityContext: {runAsUser: 1}") +
				"]\nephemeralContainers: [{name: e, image: '" + app + "', securityContext: {procMount: Default}}]"),
			[]string{
				"windows-privileged spec.initContainers[0].securityContext.privileged",
				"windows-run-as-user spec.containers[1].securityContext.runAsUser",
				"windows-proc-mount spec.ephemeralContainers[0].securityContext.procMount",
			},
		},
		{
			"both security contexts",
			windowsPod("securityContext: {runAsUser: 1, runAsGroup: 1, seLinuxOptions: {level: " +
				"a}, seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}\ncontainers: [" +
				main(", securityContext: {runAsUser: 1, runAsGroup: 1, seLinuxOptions: {level: "+
					"a}, seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}") + "]"),
			[]string{
				"windows-run-as-user spec.securityContext.runAsUser",
				"windows-run-as-group spec.securityContext.runAsGroup",
				"windows-selinux spec.securityContext.seLinuxOptions",
				"windows-seccomp spec.securityContext.seccompProfile",
				"windows-apparmor spec.securityContext.appArmorProfile",
				"windows-run-as-user spec.containers[0].securityContext.runAsUser",
				"windows-run-as-group spec.containers[0].securityContext.runAsGroup",
				"windows-selinux spec.containers[0].securityContext.seLinuxOptions",
				"windows-seccomp spec.containers[0].securityContext.seccompProfile",
				"windows-apparmor spec.containers[0].securityContext.appArmorProfile",
			},
		},
		{
			"AppArmor by annotation", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n " +
				"   metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/main: unconfined}}\n" +
				"    spec: {restartPolicy: Never, os: {name: windows}, nodeSelector: " +
				"{kubernetes.io/os: windows}, containers: [" + main("") + "]}\n",
			[]string{
				`windows-apparmor spec.template.metadata.annotations["container.apparmor.security.beta.kubernetes.io/main"]`,
			},
		},
		{
			"modes of every volume", windowsPod("containers: [" + main("") + "]\nvolumes:\n" +
				"- {name: a, secret: {secretName: s, items: [{key: k, path: p}, {key: l, path: q, mode: 0400}]}}\n" +
				"- {name: b, configMap: {name: c, defaultMode: 0400, items: [{key: k, path: p, mode: 0400}]}}\n" +
				"- {name: c, downwardAPI: {defaultMode: 0400, items: [{path: p, fieldRef: {fieldPath: " +
				"metadata.name}, mode: 0400}]}}\n" +
				"- {name: d, projected: {defaultMode: 0400, sources: [{secret: {name: s, items: " +
				"[{key: k, path: p, mode: 0400}]}}, {configMap: {name: c, items: [{key: k, path: p, mode: 0400}]}}, " +
				"{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}, mode: 0400}]}}]}}"),
			[]string{
				"windows-default-mode spec.volumes[0].secret.items[1].mode",
				"windows-default-mode spec.volumes[1].configMap.defaultMode",
				"windows-default-mode spec.volumes[1].configMap.items[0].mode",
				"windows-default-mode spec.volumes[2].downwardAPI.defaultMode",
				"windows-default-mode spec.volumes[2].downwardAPI.items[0].mode",
				"windows-default-mode spec.volumes[3].projected.defaultMode",
				"windows-default-mode spec.volumes[3].projected.sources[0].secret.items[0].mode",
				"windows-default-mode spec.volumes[3].projected.sources[1].configMap.items[0].mode",
				"windows-default-mode spec.volumes[3].projected.sources[2].downwardAPI.items[0].mode",
			},
		},
		{
			"other volumes and mounts",
			windowsPod("containers: [" + main(", volumeMounts: [{name: a, mountPath: /a, subPathExpr: "+
				"$(B)}, {name: a, mountPath: /b, mountPropagation: HostToContainer}]") +
				"]\nvolumes:\n- {name: a, emptyDir: {medium: HugePages-2Mi}}\n- {name: b, fc: " +
				"{targetWWNs: [a], lun: 0}}\n- {name: c, hostPath: {path: a, type: FileOrCreate}}\n- {name: " +
				"d, hostPath: {path: a, type: CharDevice}}\n- {name: e, hostPath: {path: a, type: BlockDevice}}"),
			[]string{
				"windows-sub-path spec.containers[0].volumeMounts[0].subPathExpr",
				"windows-mount-propagation spec.containers[0].volumeMounts[1].mountPropagation",
				"windows-huge-pages spec.volumes[0].emptyDir.medium", "windows-volume-plugin spec.volumes[1].fc",
				"windows-file-mount spec.volumes[2].hostPath.type",
				"windows-host-path-type spec.volumes[3].hostPath.type",
				"windows-host-path-type spec.volumes[4].hostPath.type",
			},
		},
		{
			"grace periods",
			windowsPod("terminationGracePeriodSeconds: 6\ncontainers: [" +
				main(", livenessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: 6}") +
				", " + main(", livenessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: 5}, startupProbe: "+
				"{tcpSocket: {port: 1}, terminationGracePeriodSeconds: 600}") + "]"),
			[]string{
				"windows-termination-grace-period spec.terminationGracePeriodSeconds",
				"windows-termination-grace-period spec.containers[0].livenessProbe.terminationGracePeriodSeconds",
				"windows-termination-grace-period spec.containers[1].startupProbe.terminationGracePeriodSeconds",
			},
		},
		{
			"a grace period of HostProcess containers",
			windowsPod("hostNetwork: true\nterminationGracePeriodSeconds: 60\nsecurityContext: {windowsOptions: " +
				"{hostProcess: true, runAsUserName: NT AUTHORITY\\SYSTEM}}\ncontainers: [" + main("") + "]"),
			nil,
		},
		{
			"a pod for both systems",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: " +
				"[{key: kubernetes.io/os, operator: In, values: [linux, windows]}]}]}}}\n" +
				"  securityContext: {fsGroup: 1, windowsOptions: {runAsUserName: ContainerUser}}\n  containers: [" +
				main("") + "]\n",
			[]string{"windows-fs-group spec.securityContext.fsGroup"},
		},
		{
			"a pod that does not say", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  securityContext: " +
				"{fsGroup: 1}\n  containers: [" + main("") + "]\n",
			[]string{"os-missing spec"},
		},
		{
			"a pod whose RuntimeClass says",
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  os: {name: windows}\n  runtimeClassName: " +
				"windows-2022\n  securityContext: {fsGroup: 1}\n  containers: [" + main("") + "]\n" +
				"---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: windows-2022}\nhandler: " +
				"runhcs-wcow-process\nscheduling:\n  nodeSelector: {kubernetes.io/os: " +
				"windows, node.kubernetes.io/windows-build: 10.0.20348}\n",
			[]string{"windows-fs-group spec.securityContext.fsGroup"},
		},
		{
			"selectors", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: " +
				"{kubernetes.io/os: linux}\n  affinity: {nodeAffinity: {\n" +
				"    requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: " +
				"[{key: beta.kubernetes.io/os, operator: In, values: [linux, windows]}, {key: " +
				"kubernetes.io/os, operator: Exists}]}]},\n" +
				"    preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: " +
				"{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux, darwin]}, {key: " +
				"beta.kubernetes.io/os, operator: Exists}]}}]}}\n  containers: [" + main("") + "]\n",
			[]string{
				"os-beta-label spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key",
				"os-unknown spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[1]",
				"os-beta-label spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key",
			},
		},
		{
			"selectors that no node has", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  affinity: " +
				"{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [\n" +
				"    {matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}, {key: " +
				"kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n  containers: [" + main("") + "]\n",
			[]string{"os-conflict spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
		},
		{
			"HostProcess containers by themselves",
			windowsPod("hostNetwork: true\ncontainers: [" + main(", securityContext: {runAsNonRoot: "+
				"true, windowsOptions: {hostProcess: true, runAsUserName: ContainerAdministrator}}") +
				", " + main(", securityContext: {windowsOptions: {hostProcess: false}}") + "]"),
			[]string{
				"host-process-run-as-non-root spec.containers[0].securityContext.runAsNonRoot",
				"host-process-user spec.containers[0].securityContext.windowsOptions.runAsUserName",
				"host-process-mixed spec.containers[1]",
			},
		},
		{
			"HostProcess against the pod",
			windowsPod("hostNetwork: true\nsecurityContext: {windowsOptions: {hostProcess: false, runAsUserName: " +
				"NT AUTHORITY\\SYSTEM}}\ncontainers: [" +
				main(", securityContext: {windowsOptions: {hostProcess: true}}") + "]"),
			[]string{"host-process-mixed spec.containers[0].securityContext.windowsOptions.hostProcess"},
		},
		{
			"one account for two containers is one finding",
			windowsPod("securityContext: {runAsNonRoot: true, windowsOptions: {runAsUserName: a@b}}\ncontainers: [" +
				main("") + ", " + main("") + "]"),
			[]string{"windows-run-as-user-name spec.securityContext.windowsOptions.runAsUserName"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, places(check(t, "m.yaml", tt.manifest).Findings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUserName holds runAsUserName to the API server's limits.
func TestUserName(t *testing.T) {
	for user, want := range map[string]string{
		`ContainerUser`: "", `NT AUTHORITY\SYSTEM`: "", `corp.example.com\jane.doe`: "", strings.Repeat("a", 104): "",
		strings.Repeat("d", 15) + `\a`: "",
		``:                             "it is empty", `\a`: "neither a NetBIOS nor a DNS domain",
		`a\`: "it has no user", `a\b\c`: "more than one backslash", "a\tb": "control characters",
		strings.Repeat("a", 105): "longer than 104", strings.Repeat("d", 256) + `\a`: "longer than 255",
		`.. .`: "dots and blanks alone",
		`a:b`:  "has one of", `a*b`: "has one of", `.corp\a`: "neither a NetBIOS",
		strings.Repeat("d-", 8) + `\a`: "neither a NetBIOS",
	} {
		quoted := fmt.Sprintf("%q", user)
		found := check(t,
			"m.yaml",
			windowsPod("containers: ["+main(", securityContext: {windowsOptions: {runAsUserName: "+quoted+"}}")+
				"]")).Findings
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%q: %v", user, found)
		case want != "" &&
			(len(found) != 1 || found[0].Rule != "windows-run-as-user-name" || !strings.Contains(found[0].What, want)):
			t.Errorf("%q: %v, want %q", user, found, want)
		}
	}
}
