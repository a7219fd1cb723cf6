package nodes_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lint/nodes"
)

func TestReadForms(t *testing.T) {
	const node = `{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "%s", "newField": 1}}`
	one, two := fmt.Sprintf(node, "one"), fmt.Sprintf(node, "two")
	for name, tc := range map[string]struct {
		text string
		want int
	}{
		"node": {one, 1},
		"list": {`{"items": [` + one + "," +
			two + `], "kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": ""}}`, 2},
		"nodelist": {
			`{"apiVersion": "v1", "kind": "NodeList", "metadata": {}, "items": [{"metadata": {"name": "x"}}, ` +
				one + `]}`, 2,
		},
		"empty": {`{"apiVersion": "v1", "kind": "List"}`, 0},
		"null":  {`{"apiVersion": "v1", "kind": "List", "items": null}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := nodes.Read("n.json", []byte(tc.text))
			if err != nil || len(list) != tc.want {
				t.Errorf("%d nodes, %v; want %d", len(list), err, tc.want)
			}
		})
	}
}

func TestReadBad(t *testing.T) {
	const head = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n"
	for name, tc := range map[string]struct{ text, want string }{
		"empty": {"", "n.json:1:1: this is not JSON (unexpected end of JSON input): " +
			"make the file with kubectl get nodes -o json"},
		"yaml": {"apiVersion: v1\n", "n.json:1:1: this is not JSON (invalid character 'a' looking for beginning " +
			"of value): make the file with kubectl get nodes -o json"},
		"cut off": {
			head + `  {"kind": "Node"`,
			`n.json:2:17: this is not JSON (unexpected end of JSON input): make the file with kubectl get nodes -o json`,
		},
		"comma": {
			head + `{},` + "\n]}",
			`n.json:3:1: this is not JSON (invalid character ']' looking for beginning of value): make the file with kubectl get nodes -o json`,
		},
		"trailing": {
			`{"apiVersion": "v1", "kind": "List"} {}`,
			`n.json:1:38: this is not JSON (invalid character '{' after top-level value): make the file with kubectl get nodes -o json`,
		},
		"array": {"[]", `n.json:1:1: : a node has another type than array there`},
		"pods": {
			`{"apiVersion": "v1", "kind": "PodList", "items": []}`,
			`n.json:1:1: apiVersion is "v1" and kind is "PodList", not v1 and NodeList or Node: make the file with kubectl get nodes -o json`,
		},
		"settings": {
			`{"a": 1}`,
			`n.json:1:1: apiVersion is "" and kind is "", not v1 and NodeList or Node: make the file with kubectl get nodes -o json`,
		},
		"pod": {
			head + ` {"apiVersion": "v1", "kind": "Pod"}]}`,
			`n.json:2:2: apiVersion is "v1" and kind is "Pod", not v1 and Node: make the file with kubectl get nodes -o json`,
		},
		"bare": {
			head + ` {"metadata": {"name": "a"}}]}`,
			`n.json:2:2: apiVersion is "" and kind is "", not v1 and Node: make the file with kubectl get nodes -o json`,
		},
		"number": {head + "3]}", `n.json:2:1: : a node has another type than number there`},
		"no name": {
			head + "\n  " + `{"apiVersion": "v1", "kind": "Node"}]}`,
			`n.json:3:3: the node has no metadata.name`,
		},
		"twice": {
			head + `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},` +
				"\n" + `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}]}`,
			`n.json:3:1: node a is listed twice, first on line 2: keep one`,
		},
		"type": {
			head + `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},` +
				"\n" + `"spec": {"unschedulable": "yes"}}]}`,
			`n.json:3:31: spec.unschedulable: a node has another type than string there`,
		},
		"quantity": {head +
			`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "x"}}}]}`, `n.json:2:1: this is not a list of nodes (quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'): make the file with kubectl get nodes -o json`},
		"duplicate": {
			head + `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "name": "b"}}]}`,
			`n.json:2:1: duplicate field "metadata.name": keep one`,
		},
		"effect": {head +
			`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": [{"key": "os", "effect": "Never"}]}}]}`, `n.json:2:1: node a: unknown effect "Never" of taint os: Kubernetes has NoSchedule, PreferNoSchedule and NoExecute`},
		"no items": {
			`{"apiVersion": "v1", "kind": "List", "items": {}}`,
			`n.json:1:47: items: a node has another type than object there`,
		},
		"items once": {
			`{"apiVersion": "v1", "kind": "List", "items": [], "items": []}`,
			`n.json:1:1: duplicate field "items": keep one`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := nodes.Read("n.json", []byte(tc.text))
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

var place = regexp.MustCompile(`^n\.json:([1-9][0-9]*):[1-9][0-9]*: `)

// FuzzRead holds that any file is read or refused, with a place in the file, and that what is
// read can be checked.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}`,
		`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {"kubernetes.io/os": "windows"}}}]}`,
		`{"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata": {"name": "a"}, "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}, "status": {"nodeInfo": {"operatingSystem": "windows", "kernelVersion": "10.0.17763.1"}, "allocatable": {"cpu": "1"}}}]}`,
		`{"items": [], "items": [1], "kind": "NodeList", "apiVersion": "v1"}`,
		`[`, ``, `{"ITEMS": [1], "kind": "List", "apiVersion": "v1"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := nodes.Read("n.json", b)
		if err != nil {
			m := place.FindStringSubmatch(err.Error())
			if m == nil || len(m[1]) > 6 || strings.Contains(err.Error(), "%!") {
				t.Fatalf("an error of no place: %v", err)
			}
			return
		}
		names := map[string]bool{}
		for _, n := range list {
			if n.Name == "" || names[n.Name] {
				t.Errorf("node %q is nameless or there twice", n.Name)
			}
			names[n.Name] = true
		}
		if r := nodes.Check(nil, release(), list); len(r.Images) != 6 {
			t.Errorf("%d images", len(r.Images))
		}
	})
}
