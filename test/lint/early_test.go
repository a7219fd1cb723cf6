package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"

	"github.com/slipway-dev/slipway/render/workload"
)

// oldestMinor is the oldest minor version of Kubernetes 1 that its project maintains besides those
// of the libraries' version.
const oldestMinor = 35

// TestEarlyKinds reads an object of each kind of Kubernetes' client. Of the groups whose kinds are
// checked, one in an alpha or beta version is accepted if a maintained version of Kubernetes has
// it, and others are faults.
func TestEarlyKinds(t *testing.T) {
	served := map[string]bool{} // groups with a kind that is accepted in a stable version
	problem := func(apiVersion, kind string) string {
		text := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: x}\n", apiVersion, kind)
		objects, err := workload.Read("m.yaml", []byte(text))
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, o := range objects {
			for _, f := range o.Faults {
				all = append(all, f.Text)
			}
			if o.Typed != nil {
				served[strings.Split(apiVersion, "/")[0]] = true
			}
		}
		return strings.Join(all, "; ")
	}
	early := func(v string) bool { return strings.Contains(v, "alpha") || strings.Contains(v, "beta") }
	for id := range scheme.Scheme.AllKnownTypes() {
		if !early(id.Version) {
			problem(id.GroupVersion().String(), id.Kind)
		}
	}
	accepted, refused := 0, 0
	for id := range scheme.Scheme.AllKnownTypes() {
		if !early(id.Version) || !served[id.Group] || strings.HasSuffix(id.Kind, "List") {
			continue
		}
		object, err := scheme.Scheme.New(id)
		if err != nil {
			t.Fatal(err)
		}
		minor := 0
		removed, ok := object.(interface{ APILifecycleRemoved() (major, minor int) })
		if ok {
			_, minor = removed.APILifecycleRemoved()
		} else if _, dated := object.(interface{ GetName() string }); !dated {
			continue // options of requests, such as ListOptions, which every version has
		}
		got := problem(id.GroupVersion().String(), id.Kind)
		switch maintained := minor > oldestMinor; {
		case maintained && got != "":
			t.Errorf("%s: %q, but Kubernetes 1.%d has it: add it to early in render/workload", id, got, minor-1)
		case !maintained && got == "":
			t.Errorf("%s is accepted, but no maintained version of Kubernetes has it: take it out of early", id)
		case maintained:
			accepted++
		default:
			refused++
		}
	}
	if accepted < 5 || refused < 20 {
		t.Errorf("%d kinds are accepted and %d refused: are these all?", accepted, refused)
	}
}
