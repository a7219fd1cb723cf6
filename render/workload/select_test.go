package workload_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/render/workload"
)

// terms is a required node affinity of these terms.
func terms(list string) string {
	return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
		list + "]}}}\n"
}

// on is a term of these expressions.
func on(expressions string) string { return "{matchExpressions: [" + expressions + "]}" }

const (
	inLinux    = "{key: kubernetes.io/os, operator: In, values: [linux]}"
	inWindows  = "{key: kubernetes.io/os, operator: In, values: [windows]}"
	inBoth     = "{key: kubernetes.io/os, operator: In, values: [linux, windows]}"
	notWindows = "{key: kubernetes.io/os, operator: NotIn, values: [windows]}"
	elsewhere  = "{key: example.com/pool, operator: In, values: [a]}"
	selector   = "nodeSelector: {kubernetes.io/os: windows}\n"
)

func TestOperatingSystems(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		want       []string
		selects    bool
	}{
		{"nothing", "", []string{"linux", "windows"}, false},
		{"node selector", selector, []string{"windows"}, true},
		{"an older label", "nodeSelector: {beta.kubernetes.io/os: linux}", []string{"linux"}, true},
		{"another label", "nodeSelector: {example.com/pool: a}", []string{"linux", "windows"}, false},
		{"a system of its own", "nodeSelector: {kubernetes.io/os: plan9}", []string{"plan9"}, true},
		{"a Windows build", "nodeSelector: {node.kubernetes.io/windows-build: 10.0.20348}", []string{"windows"}, true},
		{
			"a Windows build on Linux",
			"nodeSelector: {node.kubernetes.io/windows-build: 10.0.20348, kubernetes.io/os: linux}", nil, true,
		},
		{"one term", terms(on(inLinux)), []string{"linux"}, true},
		{"both in one term", terms(on(inBoth)), []string{"linux", "windows"}, true},
		{"one in each of two terms", terms(on(inLinux) + ", " + on(inWindows)), []string{"linux", "windows"}, true},
		{"a term without", terms(on(inLinux) + ", " + on(elsewhere)), []string{"linux", "windows"}, false},
		{"two expressions that agree", terms(on(inBoth + ", " + notWindows)), []string{"linux"}, true},
		{"two expressions that contradict", terms(on(inWindows + ", " + notWindows)), nil, true},
		{"by exclusion", terms(on(notWindows)), []string{"linux"}, true},
		{
			"by exclusion of something else", terms(on("{key: kubernetes.io/os, operator: NotIn, values: [plan9]}")),
			[]string{"linux", "windows"},
			false,
		},
		{
			"the label's being there", terms(on("{key: kubernetes.io/os, operator: Exists}")),
			[]string{"linux", "windows"},
			false,
		},
		{"the label's being away", terms(on("{key: kubernetes.io/os, operator: DoesNotExist}")), nil, false},
		{"a number", terms(on("{key: kubernetes.io/os, operator: Gt, values: ['1']}")), nil, false},
		{
			"a build's being there", terms(on("{key: node.kubernetes.io/windows-build, operator: Exists}")),
			[]string{"windows"},
			true,
		},
		{
			"a build's being away", terms(on("{key: node.kubernetes.io/windows-build, operator: DoesNotExist}")),
			[]string{"linux", "windows"},
			true,
		},
		{
			"not a build", terms(on("{key: node.kubernetes.io/windows-build, operator: NotIn, values: [10.0.17763]}")),
			[]string{"linux", "windows"},
			false,
		},
		{"selector and affinity that agree", selector + terms(on(inBoth)), []string{"windows"}, true},
		{"selector and affinity that contradict", selector + terms(on(inLinux)), nil, true},
		{"a term that asks nothing beside one that does", terms("{}, " + on(inLinux)), []string{"linux"}, true},
		{"terms that ask nothing", terms("{}"), nil, false},
		{
			"an affinity for a node", terms("{matchFields: [{key: metadata.name, operator: In, values: [n]}]}"),
			[]string{"linux", "windows"},
			false,
		},
		{"a control-plane node", "nodeSelector: {node-role.kubernetes.io/control-plane: ''}", []string{"linux"}, true},
		{"a master", "nodeSelector: {node-role.kubernetes.io/master: 'true'}", []string{"linux"}, true},
		{
			"a control-plane node of RKE",
			terms(on("{key: node-role.kubernetes.io/controlplane, operator: Exists}") +
				", " + on("{key: node-role.kubernetes.io/etcd, operator: Exists}")),
			[]string{"linux"},
			true,
		},
		{
			"a control-plane node of Windows",
			"nodeSelector: {node-role.kubernetes.io/control-plane: '', kubernetes.io/os: windows}", nil, true,
		},
		{
			"a control-plane node by affinity",
			terms(on("{key: node-role.kubernetes.io/control-plane, operator: Exists}") + ", " +
				on("{key: node-role.kubernetes.io/master, operator: In, values: ['']}")),
			[]string{"linux"},
			true,
		},
		{
			"a control-plane node in one of two terms",
			terms(on("{key: node-role.kubernetes.io/control-plane, operator: Exists}") + ", " + on(elsewhere)),
			[]string{"linux", "windows"},
			false,
		},
		{
			"no control-plane node", terms(on("{key: node-role.kubernetes.io/control-plane, operator: DoesNotExist}")),
			[]string{"linux", "windows"},
			false,
		},
		{
			"a toleration of control-plane nodes",
			"tolerations: [{key: node-role.kubernetes.io/control-plane, operator: " +
				"Exists, effect: NoSchedule}]",
			[]string{"linux", "windows"},
			false,
		},
		{"a preference", "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: " +
			"[{weight: 1, preference: " + on(inLinux) + "}]}}", []string{"linux", "windows"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names, selects := workload.OperatingSystems(podSpec(t, tt.spec))
			if !slices.Equal(names, tt.want) || selects != tt.selects {
				t.Errorf("got %v, %t, want %v, %t", names, selects, tt.want, tt.selects)
			}
		})
	}
}

// TestNamesNode distinguishes pods for nodes by name from pods for any node.
func TestNamesNode(t *testing.T) {
	const byHost, byName = "{key: kubernetes.io/hostname, operator: In, values: [n]}",
		"{matchFields: [{key: metadata.name, operator: In, values: [n]}]}"
	for _, tt := range []struct {
		name, spec string
		want       bool
	}{
		{"nothing", "", false},
		{"the node", "nodeName: node-1", true},
		{"the node's label", "nodeSelector: {kubernetes.io/hostname: node-1}", true},
		{"another label", "nodeSelector: {example.com/pool: a}", false},
		{"by affinity", terms(on(byHost) + ", " + byName), true},
		{"in one of two terms", terms(on(byHost) + ", " + on(elsewhere)), false},
		{"other nodes", terms(on("{key: kubernetes.io/hostname, operator: NotIn, values: [n]}")), false},
	} {
		if got := workload.NamesNode(podSpec(t, tt.spec)); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// TestAdmits decides about nodes of which not every label is known.
func TestAdmits(t *testing.T) {
	node := workload.Node{Labels: map[string]string{"size": "5", "name": "box"}, Without: []string{"gpu"}}
	for expression, want := range map[string]bool{
		"{key: size, operator: Gt, values: ['4']}":         true,
		"{key: size, operator: Gt, values: ['5']}":         false,
		"{key: size, operator: Lt, values: ['6']}":         true,
		"{key: size, operator: Lt, values: ['5']}":         false,
		"{key: name, operator: Lt, values: ['6']}":         false,
		"{key: size, operator: Lt, values: [x]}":           false,
		"{key: gpu, operator: Gt, values: ['1']}":          false,
		"{key: gpu, operator: In, values: [a]}":            false,
		"{key: gpu, operator: In, values: ['']}":           false,
		"{key: gpu, operator: NotIn, values: [a]}":         true,
		"{key: gpu, operator: Exists}":                     false,
		"{key: gpu, operator: DoesNotExist}":               true,
		"{key: size, operator: DoesNotExist}":              false,
		"{key: name, operator: In, values: [tin, box]}":    true,
		"{key: unknown, operator: In, values: [a]}":        true,
		"{key: unknown, operator: DoesNotExist}":           true,
		"{key: name, operator: SomethingNew, values: [n]}": false,
	} {
		if got := workload.Admits(podSpec(t, terms(on(expression))), node); got != want {
			t.Errorf("%s: %t, want %t", expression, got, want)
		}
	}
	if workload.Admits(podSpec(t, "nodeSelector: {gpu: a}"), node) ||
		!workload.Admits(podSpec(t, "nodeSelector: {unknown: a, name: box}"), node) {
		t.Error("a node selector is decided otherwise than an affinity")
	}
}

func podSpec(t *testing.T, text string) *corev1.PodSpec {
	t.Helper()
	spec := &corev1.PodSpec{}
	if err := yaml.Unmarshal([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	return spec
}
