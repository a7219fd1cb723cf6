package lint_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
)

// app and the others are images of the lock in testdata: for every platform, for linux/amd64, for Windows Server 2022.
var (
	app   = "slipway.local/demo/app@" + digest(1)
	tool  = "slipway.local/demo/tool@" + digest(2)
	agent = "slipway.local/demo/agent@" + digest(3)
)

func digest(n int) string { return "sha256:" + strings.Repeat(fmt.Sprintf("%02x", n), 32) }

// windowsPod is a pod for Windows in which nothing is wrong but what the lines of its spec add.
func windowsPod(spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: app, namespace: demo}\nspec:\n  os: {name: windows}\n  nodeSelector: {kubernetes.io/os: windows}\n  " +
		strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ") + "\n"
}

// main is the fields of a container that requests what it needs.
func main(fields string) string {
	return "{name: main, image: '" + app + "', resources: {requests: {cpu: 1, memory: 1Gi}}" + fields + "}"
}

// places returns the rules of findings with their paths.
func places(findings []lint.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Rule+" "+f.Path)
	}
	return all
}

// TestPlaces looks into every list of containers, every kind of volume and both security contexts: the path of each finding.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		name, manifest string
		want           []string
	}{
		{
			"containers of every list", windowsPod("initContainers: [" + main(", securityContext: {privileged: false}") + "]\ncontainers: [" + main("") + ", " + main(", securityContext: {runAsUser: 1}") +
				"]\nephemeralContainers: [{name: e, image: '" + app + "', securityContext: {procMount: Default}}]"),
			[]string{
				"windows-privileged spec.initContainers[0].securityContext.privileged",
				"windows-run-as-user spec.containers[1].securityContext.runAsUser",
				"windows-proc-mount spec.ephemeralContainers[0].securityContext.procMount",
			},
		},
		{
			"both security contexts", windowsPod("securityContext: {runAsUser: 1, runAsGroup: 1, seLinuxOptions: {level: a}, seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}\ncontainers: [" +
				main(", securityContext: {runAsUser: 1, runAsGroup: 1, seLinuxOptions: {level: a}, seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}") + "]"),
			[]string{
				"windows-run-as-user spec.securityContext.runAsUser", "windows-run-as-group spec.securityContext.runAsGroup", "windows-selinux spec.securityContext.seLinuxOptions",
				"windows-seccomp spec.securityContext.seccompProfile", "windows-apparmor spec.securityContext.appArmorProfile",
				"windows-run-as-user spec.containers[0].securityContext.runAsUser", "windows-run-as-group spec.containers[0].securityContext.runAsGroup",
				"windows-selinux spec.containers[0].securityContext.seLinuxOptions", "windows-seccomp spec.containers[0].securityContext.seccompProfile",
				"windows-apparmor spec.containers[0].securityContext.appArmorProfile",
			},
		},
		{
			"AppArmor by annotation", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/main: unconfined}}\n" +
				"    spec: {restartPolicy: Never, os: {name: windows}, nodeSelector: {kubernetes.io/os: windows}, containers: [" + main("") + "]}\n",
			[]string{`windows-apparmor spec.template.metadata.annotations["container.apparmor.security.beta.kubernetes.io/main"]`},
		},
		{
			"modes of every volume", windowsPod("containers: [" + main("") + "]\nvolumes:\n" +
				"- {name: a, secret: {secretName: s, items: [{key: k, path: p}, {key: l, path: q, mode: 0400}]}}\n" +
				"- {name: b, configMap: {name: c, defaultMode: 0400, items: [{key: k, path: p, mode: 0400}]}}\n" +
				"- {name: c, downwardAPI: {defaultMode: 0400, items: [{path: p, fieldRef: {fieldPath: metadata.name}, mode: 0400}]}}\n" +
				"- {name: d, projected: {defaultMode: 0400, sources: [{secret: {name: s, items: [{key: k, path: p, mode: 0400}]}}, {configMap: {name: c, items: [{key: k, path: p, mode: 0400}]}}, {downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}, mode: 0400}]}}]}}"),
			[]string{
				"windows-default-mode spec.volumes[0].secret.items[1].mode",
				"windows-default-mode spec.volumes[1].configMap.defaultMode", "windows-default-mode spec.volumes[1].configMap.items[0].mode",
				"windows-default-mode spec.volumes[2].downwardAPI.defaultMode", "windows-default-mode spec.volumes[2].downwardAPI.items[0].mode",
				"windows-default-mode spec.volumes[3].projected.defaultMode", "windows-default-mode spec.volumes[3].projected.sources[0].secret.items[0].mode",
				"windows-default-mode spec.volumes[3].projected.sources[1].configMap.items[0].mode", "windows-default-mode spec.volumes[3].projected.sources[2].downwardAPI.items[0].mode",
			},
		},
		{
			"other volumes and mounts", windowsPod("containers: [" + main(", volumeMounts: [{name: a, mountPath: /a, subPathExpr: $(B)}, {name: a, mountPath: /b, mountPropagation: HostToContainer}]") +
				"]\nvolumes:\n- {name: a, emptyDir: {medium: HugePages-2Mi}}\n- {name: b, fc: {targetWWNs: [a], lun: 0}}\n- {name: c, hostPath: {path: a, type: FileOrCreate}}\n- {name: d, hostPath: {path: a, type: CharDevice}}\n- {name: e, hostPath: {path: a, type: BlockDevice}}"),
			[]string{
				"windows-sub-path spec.containers[0].volumeMounts[0].subPathExpr", "windows-mount-propagation spec.containers[0].volumeMounts[1].mountPropagation",
				"windows-huge-pages spec.volumes[0].emptyDir.medium", "windows-volume-plugin spec.volumes[1].fc",
				"windows-file-mount spec.volumes[2].hostPath.type", "windows-host-path-type spec.volumes[3].hostPath.type", "windows-host-path-type spec.volumes[4].hostPath.type",
			},
		},
		{
			"a pod for both systems", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux, windows]}]}]}}}\n" +
				"  securityContext: {fsGroup: 1, windowsOptions: {runAsUserName: ContainerUser}}\n  containers: [" + main("") + "]\n",
			[]string{"windows-fs-group spec.securityContext.fsGroup"},
		},
		{
			"a pod that does not say", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  securityContext: {fsGroup: 1}\n  containers: [" + main("") + "]\n",
			[]string{"os-missing spec"},
		},
		{
			"a pod whose RuntimeClass says", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  os: {name: windows}\n  runtimeClassName: windows-2022\n  securityContext: {fsGroup: 1}\n  containers: [" + main("") + "]\n" +
				"---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: windows-2022}\nhandler: runhcs-wcow-process\nscheduling:\n  nodeSelector: {kubernetes.io/os: windows, node.kubernetes.io/windows-build: 10.0.20348}\n",
			[]string{"windows-fs-group spec.securityContext.fsGroup"},
		},
		{
			"selectors", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: {kubernetes.io/os: linux}\n  affinity: {nodeAffinity: {\n" +
				"    requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: beta.kubernetes.io/os, operator: In, values: [linux, windows]}, {key: kubernetes.io/os, operator: Exists}]}]},\n" +
				"    preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux, darwin]}, {key: beta.kubernetes.io/os, operator: Exists}]}}]}}\n  containers: [" + main("") + "]\n",
			[]string{
				"os-beta-label spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key",
				"os-unknown spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[1]",
				"os-beta-label spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key",
			},
		},
		{
			"selectors that no node has", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [\n" +
				"    {matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}, {key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n  containers: [" + main("") + "]\n",
			[]string{"os-conflict spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
		},
		{
			"HostProcess containers by themselves", windowsPod("hostNetwork: true\ncontainers: [" + main(", securityContext: {runAsNonRoot: true, windowsOptions: {hostProcess: true, runAsUserName: ContainerAdministrator}}") +
				", " + main(", securityContext: {windowsOptions: {hostProcess: false}}") + "]"),
			[]string{
				"host-process-run-as-non-root spec.containers[0].securityContext.runAsNonRoot", "host-process-user spec.containers[0].securityContext.windowsOptions.runAsUserName",
				"host-process-mixed spec.containers[1]",
			},
		},
		{
			"HostProcess against the pod", windowsPod("hostNetwork: true\nsecurityContext: {windowsOptions: {hostProcess: false, runAsUserName: NT AUTHORITY\\SYSTEM}}\ncontainers: [" + main(", securityContext: {windowsOptions: {hostProcess: true}}") + "]"),
			[]string{"host-process-mixed spec.containers[0].securityContext.windowsOptions.hostProcess"},
		},
		{
			"one account for two containers is one finding", windowsPod("securityContext: {runAsNonRoot: true, windowsOptions: {runAsUserName: a@b}}\ncontainers: [" + main("") + ", " + main("") + "]"),
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
		`ContainerUser`: "", `NT AUTHORITY\SYSTEM`: "", `corp.example.com\jane.doe`: "", strings.Repeat("a", 104): "", strings.Repeat("d", 15) + `\a`: "",
		``: "it is empty", `\a`: "neither a NetBIOS nor a DNS domain", `a\`: "it has no user", `a\b\c`: "more than one backslash", "a\tb": "control characters",
		strings.Repeat("a", 105): "longer than 104", strings.Repeat("d", 256) + `\a`: "longer than 255", `.. .`: "dots and blanks alone",
		`a:b`: "has one of", `a*b`: "has one of", `.corp\a`: "neither a NetBIOS", strings.Repeat("d-", 8) + `\a`: "neither a NetBIOS",
	} {
		quoted := fmt.Sprintf("%q", user)
		found := check(t, "m.yaml", windowsPod("containers: ["+main(", securityContext: {windowsOptions: {runAsUserName: "+quoted+"}}")+"]")).Findings
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%q: %v", user, found)
		case want != "" && (len(found) != 1 || found[0].Rule != "windows-run-as-user-name" || !strings.Contains(found[0].What, want)):
			t.Errorf("%q: %v, want %q", user, found, want)
		}
	}
}

// TestImages holds images against the lock and, where that does not know them, against a registry.
func TestImages(t *testing.T) {
	remote := "registry.example/other@" + digest(20)
	asked := 0
	ask := func(_ context.Context, refs []name.Digest) (map[string][]v1.Platform, error) {
		asked += len(refs)
		return map[string][]v1.Platform{remote: {{OS: "linux", Architecture: "amd64"}, {OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}}}, nil
	}
	linux := func(image, selector string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: {kubernetes.io/os: linux" + selector + "}\n  containers:\n  - {name: main, image: '" + image + "'}\n"
	}
	windows := func(image, selector string) string {
		return strings.Replace(windowsPod("containers:\n- {name: main, image: '"+image+"', resources: {requests: {cpu: 1, memory: 1Gi}}}"), "os: windows", "os: windows"+selector, 1)
	}
	for _, tt := range []struct {
		name, manifest, rule, what string
		remote                     bool
	}{
		{name: "every platform", manifest: windows(app, "")},
		{name: "on Linux", manifest: linux(app, "")},
		{name: "a child by its own digest", manifest: linux("slipway.local/demo/app@"+digest(101), ", kubernetes.io/arch: amd64")},
		{name: "a child of another system", manifest: windows("slipway.local/demo/app@"+digest(101), ""), rule: "image-os", what: "the pod runs on windows, and the image is made for linux/amd64"},
		{name: "a tag", manifest: linux("slipway.local/demo/app:1.2.3", ""), rule: "image-unpinned", what: "slipway.local/demo/app:1.2.3 is not pinned by digest: write " + app},
		{name: "a tag of an unknown image", manifest: linux("nginx", ""), rule: "image-unpinned", what: "nginx is not pinned by digest"},
		{name: "a tag beside the digest", manifest: linux(strings.Replace(app, "@", ":1.2.3@", 1), "")},
		{name: "a tag beside another digest", manifest: linux("slipway.local/demo/app:1.2.3@"+digest(99), ""), rule: "image-digest", what: "has another digest than the lock: write " + app},
		{name: "another digest", manifest: linux("slipway.local/demo/app@"+digest(99), ""), rule: "image-digest", what: "has another digest than the lock: write " + app},
		{name: "an architecture that is missing", manifest: linux(tool, ""), rule: "image-architecture", what: "may land on nodes with linux/arm64, and the image is made for linux/amd64"},
		{name: "an architecture that nobody has", manifest: linux(app, ", kubernetes.io/arch: s390x"), rule: "image-architecture", what: "selects nodes that none of the image's platforms is for"},
		{name: "builds that are missing", manifest: windows(agent, ""), rule: "image-windows-build", what: "nothing in the image runs on nodes with windows/amd64:10.0.17763.6893: it is made for windows/amd64:10.0.20348.3207"},
		{name: "a build that is not selected", manifest: windows(agent, ", node.kubernetes.io/windows-build: 10.0.26100")},
		{name: "third-party", manifest: windows("registry.k8s.io/pause@"+digest(9), "")},
		{name: "third-party that a snapshot left out", manifest: windows("quay.io/offline/tool@"+digest(11), "")},
		{name: "not in the lock", manifest: windows(remote, ""), rule: "image-unknown", what: remote + " is an image neither of the product nor of images.txt"},
		{name: "not in the lock, but in its registry", manifest: linux(remote, ", kubernetes.io/arch: amd64"), remote: true},
		{name: "without a build, in its registry", manifest: windows(remote, ""), remote: true, rule: "image-windows-build", what: "windows/amd64:10.0.17763.6893"},
		{
			name: "twice in one pod", manifest: linux(remote, ", kubernetes.io/arch: amd64") + "  - {name: second, image: '" + remote + "'}\n", remote: true,
		},
		{name: "nowhere", manifest: linux("registry.example/other@"+digest(21), ""), remote: true, rule: "image-digest", what: "the registry does not have registry.example/other@"},
		{name: "no reference", manifest: linux("", ""), rule: "image-reference", what: "the image is empty"},
		{
			name: "a volume", manifest: windowsPod("containers: [" + main("") + "]\nvolumes: [{name: v, image: {reference: 'slipway.local/demo/tool@" + digest(98) + "'}}]"),
			rule: "image-digest", what: "has another digest than the lock",
		},
		{name: "a volume of another system", manifest: windowsPod("containers: [" + main("") + "]\nvolumes: [{name: v, image: {reference: '" + tool + "'}}]")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := lint.Options{Lock: readLock(t)}
			if tt.remote {
				o.Remote = ask
			}
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(tt.manifest)}}, o)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.rule == "" && len(r.Findings) > 0:
				t.Errorf("found %v", r.Findings)
			case tt.rule != "" && (len(r.Findings) != 1 || r.Findings[0].Rule != tt.rule || !strings.Contains(r.Findings[0].What, tt.what)):
				t.Errorf("found %v, want %s: %s", r.Findings, tt.rule, tt.what)
			}
		})
	}
	if asked != 4 {
		t.Errorf("%d images were asked for, want the 4 that the lock does not have", asked)
	}
}

// TestWithoutLock says that images are not looked at, and looks at all the rest.
func TestWithoutLock(t *testing.T) {
	files := []lint.File{{Name: "m.yaml", Text: []byte(windowsPod("hostPID: true\ncontainers: [" + strings.Replace(main(""), app, "nginx", 1) + "]"))}}
	r, err := lint.Check(t.Context(), files, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "1 error in 1 pod of m.yaml; the images were not looked at: there is no lock"; r.Summary() != want {
		t.Errorf("got %q, want %q", r.Summary(), want)
	}
	fail := func(context.Context, []name.Digest) (map[string][]v1.Platform, error) {
		return nil, errors.New("no network")
	}
	files[0].Text = []byte(strings.Replace(string(files[0].Text), "nginx", app, 1))
	if _, err := lint.Check(t.Context(), files, lint.Options{Remote: fail}); err == nil || err.Error() != "no network" {
		t.Errorf("a registry out of reach: %v", err)
	}
}

// TestKpack knows a build for Windows by its builder, by the builder's stack and by the images of that.
func TestKpack(t *testing.T) {
	image := func(build string) string {
		return "apiVersion: kpack.io/v1alpha2\nkind: Image\nmetadata: {name: app, namespace: demo}\nspec:\n  tag: a\n  builder: {kind: Builder, name: b}\n  source: {git: {url: u, revision: r}}\n  build: {" + build + "}\n---\n"
	}
	build := func(image string) string {
		return "apiVersion: kpack.io/v1alpha1\nkind: Build\nmetadata: {name: app, namespace: demo}\nspec:\n  tags: [a]\n  builder: {image: '" + image + "'}\n  source: {git: {url: u, revision: r}}\n---\n"
	}
	builder := func(namespace, stack string) string {
		return "apiVersion: kpack.io/v1alpha2\nkind: Builder\nmetadata: {name: b, namespace: " + namespace + "}\nspec: {tag: t, stack: {kind: ClusterStack, name: " + stack + "}}\n---\n"
	}
	stack := func(id, image string) string {
		return "apiVersion: kpack.io/v1alpha2\nkind: ClusterStack\nmetadata: {name: s}\nspec: {id: " + id + ", buildImage: {image: '" + image + "'}, runImage: {image: '" + image + "'}}\n---\n"
	}
	class := "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: c}\nhandler: h\nscheduling: {tolerations: [%s]}\n---\n"
	affinity := "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}"
	for _, tt := range []struct {
		name, manifest string
		want           []string
	}{
		{"nothing of Windows", image("") + builder("demo", "s") + stack("io.buildpacks.stacks.jammy", tool), nil},
		{"the stack's name", image("") + builder("demo", "windows-2022"), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"the stack's id", image("") + builder("demo", "s") + stack("io.buildpacks.stacks.nanoserver-1809", tool), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"the stack's images by the lock", image("") + builder("demo", "s") + stack("a.b", agent), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"a builder of another namespace", image("") + builder("other", "windows"), nil},
		{"affinity", image(affinity), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"affinity and the taint's toleration", image(affinity + ", tolerations: [{key: os, value: windows, effect: NoSchedule}]"), nil},
		{"the other taint", image(affinity + ", tolerations: [{key: node.kubernetes.io/os, operator: Exists}]"), nil},
		{"every taint", image(affinity + ", tolerations: [{operator: Exists}]"), nil},
		{"another effect", image(affinity + ", tolerations: [{key: os, value: windows, effect: NoExecute}]"), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"another value", image(affinity + ", tolerations: [{key: os, value: linux}]"), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"a runtime class that tolerates", image(affinity+", runtimeClassName: c") + fmt.Sprintf(class, "{key: os, operator: Equal, value: windows, effect: NoSchedule}"), nil},
		{"a runtime class that does not", image(affinity+", runtimeClassName: c") + fmt.Sprintf(class, ""), []string{"kpack-windows-toleration spec.build.tolerations"}},
		{"a runtime class that is elsewhere", image(affinity + ", runtimeClassName: c"), nil},
		{"a Build by its builder's name", build("registry.example/builders/windows:1"), []string{"kpack-windows-toleration spec.tolerations"}},
		{"a Build by the lock", build(agent), []string{"kpack-windows-toleration spec.tolerations"}},
		{"a Build on Linux", build(tool), nil},
		{"a Build that may be either", build(app), nil},
		{"a selector", image("nodeSelector: {kubernetes.io/os: linux}"), []string{`kpack-os-selector spec.build.nodeSelector["kubernetes.io/os"]`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := places(check(t, "m.yaml", tt.manifest).Findings); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAllowInProduct lets slipway.yaml allow findings: by rule, object and field.
func TestAllowInProduct(t *testing.T) {
	text := windowsPod("securityContext: {fsGroup: 1, runAsUser: 1}\ncontainers: [" + main(", securityContext: {runAsUser: 1}") + "]")
	at := product.Pos{File: "slipway.yaml", Line: 3, Column: 9}
	for _, tt := range []struct {
		name  string
		allow product.Allow
		want  []string
	}{
		{"a rule", product.Allow{Rule: "windows-run-as-user"}, []string{"windows-fs-group"}},
		{"in an object", product.Allow{Rule: "windows-run-as-user", Object: "Pod demo/app"}, []string{"windows-fs-group"}},
		{"in another object", product.Allow{Rule: "windows-run-as-user", Object: "Pod demo/other"}, []string{"allow-unused", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"}},
		{"of a field", product.Allow{Rule: "windows-run-as-user", Path: "spec.securityContext.runAsUser"}, []string{"windows-fs-group", "windows-run-as-user"}},
		{"below a field", product.Allow{Rule: "windows-run-as-user", Path: "spec.containers"}, []string{"windows-run-as-user", "windows-fs-group"}},
		{"of a field that only begins like it", product.Allow{Rule: "windows-run-as-user", Path: "spec.contain"}, []string{"allow-unused", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"}},
		{"an unknown rule", product.Allow{Rule: "windows-root"}, []string{"allow-unknown", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"}},
		{"a rule about allowing", product.Allow{Rule: "allow-unused"}, []string{"allow-unknown", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.allow.Reason, tt.allow.Pos = "it is meant", at
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(text)}}, lint.Options{Lock: readLock(t), Allow: []product.Allow{tt.allow}})
			if err != nil {
				t.Fatal(err)
			}
			got := ids(r.Findings)
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for _, f := range r.Findings {
				if strings.HasPrefix(f.Rule, "allow-") && (f.File != "slipway.yaml" || f.Line != 3) {
					t.Errorf("%s stands at %s:%d", f.Rule, f.File, f.Line)
				}
			}
		})
	}
}

// TestNotAManifest checks that what cannot be read is an error with its place, of every file, and that nothing is checked then.
func TestNotAManifest(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), c-1)
	}
	_, err := lint.Check(t.Context(), []lint.File{
		{Name: "a.yaml", Text: []byte("a: [\n")},
		{Name: "b.yaml", Text: []byte("---\n---\nhello: world\n")},
		{Name: "c.yaml", Text: []byte(windowsPod("containers: [{name: a, name: b}]"))},
		{Name: "d.yaml", Text: []byte(windowsPod("hostPid: true\ncontainers: []"))},
		{Name: "e.yaml", Text: []byte(bomb)},
	}, lint.Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"a.yaml:1:1: this is not YAML", "b.yaml:3:1: this is no Kubernetes object", "c.yaml:7:26: \"name\" stands here twice", "d.yaml:7:3: Pod demo/app: spec.hostPid: unknown field", "e.yaml:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
}

// TestKpackRelease finds nothing in kpack's own manifest.
func TestKpackRelease(t *testing.T) {
	r, err := lint.Check(t.Context(), []lint.File{{Name: "kpack.yaml", Text: []byte(read(t, "../render/testdata/kpack.yaml"))}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Pods != 2 {
		t.Errorf("found %v in %d pods", r.Findings, r.Pods)
	}
}
