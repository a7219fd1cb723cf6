package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
)

// app and the others are images of the lock in testdata: for every platform, for linux/amd64, for
// Windows Server 2022.
var (
	app   = "slipway.local/demo/app@" + digest(1)
	tool  = "slipway.local/demo/tool@" + digest(2)
	agent = "slipway.local/demo/agent@" + digest(3)
)

func digest(n int) string { return "sha256:" + strings.Repeat(fmt.Sprintf("%02x", n), 32) }

// windowsPod is a pod for Windows in which nothing is wrong but what the lines of its spec add.
func windowsPod(spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: app, namespace: demo}\nspec:\n  os: {name: " +
		"windows}\n  nodeSelector: {kubernetes.io/os: windows}\n  " +
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

// TestNotAManifest checks that what cannot be read is an error with its place, of every file, and
// that the other files are checked, unless all belong to a product.
func TestNotAManifest(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), c-1)
	}
	files := []lint.File{
		{Name: "a.yaml", Text: []byte("a: [\n")},
		{Name: "b.yaml", Text: []byte("---\n---\nhello: world\n")},
		{Name: "c.yaml", Text: []byte(windowsPod("containers: [{name: a, name: b}]"))},
		{Name: "d.yaml", Text: []byte(windowsPod("hostPID: true\ncontainers: [" + main("") + "]"))},
		{Name: "e.yaml", Text: []byte(bomb)},
		{Name: "f.yaml", Text: []byte("{{- if .Values.x }}\na: b\n{{- end }}\n")},
	}
	r, err := lint.Check(t.Context(), files, lint.Options{})
	if err == nil || r == nil {
		t.Fatalf("got %v and error %v", r, err)
	}
	if !slices.Equal(r.Files, []string{"d.yaml"}) ||
		!slices.Equal(places(r.Findings), []string{"windows-host-pid spec.hostPID"}) {
		t.Errorf("of the file that can be read: %v in %v", places(r.Findings), r.Files)
	}
	if r, err := lint.Check(t.Context(), files, lint.Options{Product: &product.Product{}}); r != nil || err == nil {
		t.Errorf("a product without all of its manifests was checked: %v, %v", r, err)
	}
	for _, want := range []string{
		"a.yaml:1:1: this is not YAML", "b.yaml:3:1: this is not a Kubernetes object",
		"c.yaml:7:26: duplicate key \"name\"", "e.yaml:", "f.yaml:1:1: this is a Helm template",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
}
