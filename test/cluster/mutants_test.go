package cluster

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// mutant is a release with one mistake.
type mutant struct {
	name   string
	change func(testing.TB, *release, []*unstructured.Unstructured) ([]*unstructured.Unstructured, error)
	fails  string // the check that finds the mistake
	says   string // part of what it says
}

var mutants = []mutant{
	{
		"SwappedHelper", swapped("build-init-windows-image", "completion"),
		"WindowsBuild", "container prepare of pod windows-build-build-pod runs",
	},
	{
		"SwappedLinuxHelper", swapped("completion-image", "build-init"), "LinuxBuild",
		"container completion of pod linux-build-build-pod runs",
	},
	{
		"SwappedRebase", swapped("rebase-image", "build-waiter"), "Rebase",
		"container rebase of pod rebased-build-2-build-pod runs",
	},
	{"NoLink", remade("completion", noLink), "Rebase", "failed to get build metadata from build pod"},
	{"DroppedVariable", droppedVariable, "WindowsBuild", "spec.containers[0].image: Required value"},
	{"UnpinnedController", unpinnedController, "Pinned", "Deployment kpack-controller names"},
	{"MissingConfigMap", missingConfigMap, "Running", `configmaps "build-waiter-image" not found`},
	{"NoWindowsLifecycle", remade("lifecycle", noWindowsLayer), "Builders", "could not find lifecycle for os: windows"},
	{
		"MissingRule", missingRule("serviceaccounts"),
		"Builders", "system:serviceaccount:kpack:controller: get serviceaccounts",
	},
	{
		"MissingRuleForStacks", missingRule("clusterstacks/status"), "Stacks",
		"system:serviceaccount:kpack:controller: update clusterstacks.kpack.io/status",
	},
	{
		"MissingRuleForImages", missingRule("images/status"), "WindowsImage",
		"system:serviceaccount:kpack:controller: update images.kpack.io/status",
	},
	{"UnknownField", unknownField, "Accepted", `unknown field "spec.replica"`},
	{"NoValidation", noValidation, "Rejected", "image.yaml with a selector for kubernetes.io/os is accepted"},
	{"NoConversion", noConversion, "Converted", "service account \"\""},
	{"Root", root, "Accepted", "would violate PodSecurity"},
}

// TestMutants is the test of TestRelease: of each broken release, the first check that fails is
// the one that is there for it.
func TestMutants(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r, programs := prepare(t)
			r = r.clone()
			manifest, err := m.manifest(t, r)
			if err != nil {
				t.Fatal(err)
			}
			c := start(t, r, programs, manifest)
			c.mistake = m.says
			for _, check := range checks {
				if err := check.run(t.Context(), t, c); err != nil {
					if check.name != m.fails || !strings.Contains(err.Error(), m.says) {
						t.Fatalf("check %s fails, want %s, which says %q: %v", check.name, m.fails, m.says, err)
					}
					return
				}
			}
			t.Fatal("no check fails")
		})
	}
}

// manifest is the release's, changed.
func (m mutant) manifest(t testing.TB, r *release) ([]byte, error) {
	t.Helper()
	list, err := decode(r.manifest)
	if err != nil {
		return nil, err
	}
	if list, err = m.change(t, r, list); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, o := range list {
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "---\n%s", text)
	}
	if !strings.Contains(b.String(), "kind: Deployment") {
		return nil, fmt.Errorf("nothing is left of the release")
	}
	return b.Bytes(), nil
}
