package lint_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/lint"
)

// hostProcess is the spec of a HostProcess pod on the node's network.
const hostProcess = "hostNetwork: true\nsecurityContext: {windowsOptions: " +
	"{hostProcess: true, runAsUserName: NT AUTHORITY\\SYSTEM}}\n"

// TestNoFalseAlarm lints pods that run as their manifests say.
func TestNoFalseAlarm(t *testing.T) {
	unnamed := func(text string) string { return strings.Replace(text, "  os: {name: windows}\n", "", 1) }
	for _, tt := range []struct {
		name, manifest string
		want           []string // severity, rule and path
	}{
		{"on the control plane", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: " +
			"{node-role.kubernetes.io/control-plane: ''}\n  containers: [" + main("") + "]\n", nil},
		{
			"tolerates the control plane", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  tolerations: " +
				"[{key: node-role.kubernetes.io/control-plane, operator: Exists}]\n  containers: [" + main("") + "]\n",
			[]string{"error os-missing spec"},
		},
		{"on a node by name", "apiVersion: v1\nkind: Pod\nmetadata: {name: " +
			"a}\nspec:\n  nodeName: node-1\n  containers: [" + main("") + "]\n", nil},
		{"on a node by its label", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: " +
			"{kubernetes.io/hostname: node-1}\n  containers: [" + main("") + "]\n", nil},
		{"a static Pod of the control plane", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: " +
			"{component: etcd, tier: control-plane}}\nspec:\n  containers: [" + main("") + "]\n", nil},
		{
			"a Deployment with the label of static Pods",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: " +
				"{tier: control-plane}}\n  template:\n    metadata: {labels: " +
				"{tier: control-plane}}\n    spec:\n      containers: [" + main("") + "]\n",
			[]string{"error os-missing spec.template.spec"},
		},
		{
			"an init container that ends",
			windowsPod("initContainers: [{name: init, image: '" + app + "'}]\ncontainers: [" + main("") + "]"), nil,
		},
		{
			"an init container that stays",
			windowsPod("initContainers: [{name: init, image: '" + app + "', restartPolicy: Always}]\ncontainers: [" +
				main("") + "]"),
			[]string{"warning windows-resource-requests spec.initContainers[0]"},
		},
		{
			"hardening that Windows ignores",
			unnamed(windowsPod("securityContext: {seccompProfile: {type: RuntimeDefault}}\ncontainers: [" +
				main(", securityContext: {privileged: false, capabilities: {drop: [ALL]}}") + "]")),
			[]string{
				"warning windows-os-name spec", "warning windows-seccomp spec.securityContext.seccompProfile",
				"warning windows-capabilities spec.containers[0].securityContext.capabilities",
			},
		},
		{
			"hardening that the API server refuses",
			windowsPod("shareProcessNamespace: false\nsecurityContext: {seccompProfile: {type: " +
				"RuntimeDefault}}\ncontainers: [" +
				main(", securityContext: {privileged: false, capabilities: {drop: [ALL]}}") + "]"),
			[]string{
				"error windows-share-process-namespace spec.shareProcessNamespace",
				"error windows-seccomp spec.securityContext.seccompProfile",
				"error windows-privileged spec.containers[0].securityContext.privileged",
				"error windows-capabilities spec.containers[0].securityContext.capabilities",
			},
		},
		{
			"privileges that Windows does not give",
			unnamed(windowsPod("shareProcessNamespace: true\ncontainers: [" +
				main(", securityContext: {privileged: true}") + "]")),
			[]string{
				"warning windows-os-name spec", "error windows-share-process-namespace spec.shareProcessNamespace",
				"error windows-privileged spec.containers[0].securityContext.privileged",
			},
		},
		{
			"parts of what the kubelet writes",
			windowsPod("containers: [" +
				main(", volumeMounts: [{name: a, mountPath: /a.yml, subPath: a.yml}, {name: b, mountPath: "+
					"/b, subPath: b}, {name: c, mountPath: /c, subPath: c}, {name: d, mountPath: "+
					"/d, subPathExpr: $(D)}, {name: e, mountPath: /e, subPath: e}]") +
				"]\nvolumes: [{name: a, configMap: {name: a}}, {name: b, secret: {secretName: " +
				"b}}, {name: c, projected: {sources: []}}, {name: d, downwardAPI: {}}, {name: e, emptyDir: {}}]"),
			[]string{"warning windows-sub-path spec.containers[0].volumeMounts[4].subPath"},
		},
		{
			"a part of a volume in a HostProcess pod",
			windowsPod(hostProcess + "containers: [" + main(", volumeMounts: [{name: e, mountPath: /e, subPath: e}]") +
				"]\nvolumes: [{name: e, emptyDir: {}}]"), nil,
		},
		{
			"the DNS policy of a HostProcess pod",
			windowsPod(hostProcess + "dnsPolicy: ClusterFirstWithHostNet\ncontainers: [" + main("") + "]"), nil,
		},
		{
			"what is called an image and is none",
			custom("logoImage: x.io/logo.png\nosImage: {name: ubuntu, version: '24.04'}\nimages: [{glob: 'x.io/**'}, " +
				"'x.io/*', {name: x}]\nimage: {tag: 'v1@sha256:" + strings.Repeat("a", 64) + "'}\nvalues: 'a: b: c'"), nil,
		},
		{
			"what a controller pulls",
			custom("valuesContent: |\n  image: {tag: 1\nbundle: oci://x.io/a:v1\nsidecarImage: x.io/b"),
			[]string{
				"warning image-unresolved spec.valuesContent", "warning image-unresolved spec.bundle",
				"warning image-unresolved spec.sidecarImage",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range check(t, "m.yaml", tt.manifest).Findings {
				got = append(got, string(f.Severity)+" "+f.Rule+" "+f.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func custom(spec string) string {
	return "apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  " +
		strings.ReplaceAll(spec, "\n", "\n  ") + "\n"
}

// TestFolds writes advice that is the same for every pod once, and errors each.
func TestFolds(t *testing.T) {
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " +
			name + "}\nspec:\n  nodeSelector: {kubernetes.io/os: windows}\n  hostPID: " +
			"true\n  containers: [{name: main, image: '" + app + "', securityContext: {capabilities: {}}}]\n"
	}
	text := pod("a") + "---\n" + pod("b") + "---\n" + pod("c")
	r, err := lint.Check(t.Context(), []lint.File{
		{Name: "one.yaml", Text: []byte(text)},
		{Name: "two.yaml", Text: []byte(pod("d"))},
	}, lint.Options{Lock: readLock(t)})
	if err != nil {
		t.Fatal(err)
	}
	var short, long bytes.Buffer
	if err := r.WriteTable(&short); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteAll(&long); err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string][2]int{
		"windows-os-name": {1, 4}, "windows-resource-requests": {1, 4},
		"windows-capabilities": {1, 4}, "windows-host-pid": {4, 4},
	} {
		if got := [2]int{
			strings.Count(short.String(), "["+rule+"]"),
			strings.Count(long.String(), "["+rule+"]"),
		}; got != want {
			t.Errorf("%s is there %v times in the short and the long form, want %v", rule, got, want)
		}
	}
	if n := strings.Count(short.String(), "\n  … and 3 more in 2 files; -v lists them\n"); n != 3 {
		t.Errorf("%d of 3 findings say how many they stand for:\n%s", n, &short)
	}
	if !strings.HasSuffix(short.String(), "4 errors, 12 warnings in 4 pods of one.yaml, two.yaml\n") {
		t.Errorf("the last line does not count all:\n%s", &short)
	}
	if line := r.Folded(false)[0].String(); !strings.HasSuffix(line,
		"[windows-os-name] (and 3 more in 2 files; slipway lint -v lists them)") {
		t.Errorf("got %s", line)
	}

	// Many files are counted in the last line, not named.
	var files []lint.File
	for n := range 28 {
		files = append(files, lint.File{Name: fmt.Sprintf("%d.yaml", n), Text: []byte(pod(fmt.Sprint("p", n)))})
	}
	if r, err = lint.Check(t.Context(), files, lint.Options{Lock: readLock(t)}); err != nil {
		t.Fatal(err)
	}
	short.Reset()
	if err := r.WriteTable(&short); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(short.String(), "[windows-os-name]"); n != 1 ||
		!strings.Contains(short.String(), "… and 27 more in 28 files; -v lists them") {
		t.Errorf("windows-os-name is there %d times:\n%s", n, &short)
	}
	if !strings.HasSuffix(short.String(), " in 28 pods of 28 files\n") {
		t.Errorf("the last line is not short:\n%s", &short)
	}
}
