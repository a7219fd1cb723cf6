package workload_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/render/workload"
)

// TestTexts lists the strings of objects with what they are called and where they are.
func TestTexts(t *testing.T) {
	objects := read(t, `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: a
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: '{"kind": "ConfigMap"}'
      example.com/note: n
    managedFields: [{manager: kubectl}]
  data:
    config.yaml: |
      a: b
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: w}
  spec:
    args: [run, -image, i, --tag=t, last]
    env: [{name: TOOL_IMAGE, value: v}, {name: EMPTY}]
    count: 3
    shared: &s {image: x}
    again: *s
`)
	var got []string
	for _, o := range objects {
		o.Texts(func(s workload.Text) {
			got = append(got, fmt.Sprintf("%d:%d %s %s=%q", s.Pos.Line, s.Pos.Column, s.Path(), s.Name, s.Value))
		})
	}
	want := []string{
		`4:15 items[0].apiVersion apiVersion="v1"`,
		`5:9 items[0].kind kind="ConfigMap"`,
		`7:11 items[0].metadata.name name="a"`,
		`10:25 items[0].metadata.annotations["example.com/note"] example.com/note="n"`,
		`13:18 items[0].data["config.yaml"] config.yaml="a: b\n"`,
		`15:15 items[1].apiVersion apiVersion="example.com/v1"`,
		`16:9 items[1].kind kind="Widget"`,
		`17:20 items[1].metadata.name name="w"`,
		`19:12 items[1].spec.args[0] args="run"`,
		`19:17 items[1].spec.args[1] args="-image"`,
		`19:25 items[1].spec.args[2] -image="i"`,
		`19:28 items[1].spec.args[3] args="--tag=t"`,
		`19:37 items[1].spec.args[4] args="last"`,
		`20:18 items[1].spec.env[0].name name="TOOL_IMAGE"`,
		`20:37 items[1].spec.env[0].value TOOL_IMAGE="v"`,
		`20:48 items[1].spec.env[1].name name="EMPTY"`,
		`22:24 items[1].spec.shared.image image="x"`,
		`22:24 items[1].spec.again.image image="x"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
