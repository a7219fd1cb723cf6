package chart_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWithListed lists images in a Chart.yaml with comments, one list that has an image and a field
// of its own, and none.
func TestWithListed(t *testing.T) {
	c := load(t, "-- app/Chart.yaml --\n"+
		"# mine\napiVersion: v2 # of Helm\nname: demo\nversion: 1.0.0\nannotations:\n  artifacthub.io/images: |\n"+
		"    - name: started-later\n      image: example.com/a:1\n      whitelisted: true\n  other: \"yes\"\nhome: https://example.com\n")
	pin := func(ref string) string { return strings.Replace(ref, ":1", ":1@sha256:aa", 1) }
	listed, err := c.WithListed([]string{"example.com:5000/b:2", "example.com/a:1@sha256:aa"}, pin)
	if err != nil {
		t.Fatal(err)
	}
	want := `# mine
apiVersion: v2 # of Helm
name: demo
version: 1.0.0
annotations:
  artifacthub.io/images: |
    - name: started-later
      image: example.com/a:1@sha256:aa
      whitelisted: true
    - name: b
      image: example.com:5000/b:2
  other: "yes"
  helm.sh/images: |
    - name: b
      image: example.com:5000/b:2
    - name: a
      image: example.com/a:1@sha256:aa
home: https://example.com
`
	if d := cmp.Diff(want, content(t, listed, "demo/Chart.yaml")); d != "" {
		t.Errorf("Chart.yaml is (-want +got):\n%s", d)
	}
	again, err := listed.WithListed([]string{"example.com/a:1@sha256:aa"}, func(ref string) string { return ref })
	if err != nil || content(t, again, "demo/Chart.yaml") != want {
		t.Errorf("listed again: %v", err)
	}
	if got := listed.Listed(); len(got) != 2 || got[0].Fault != "" || len(got[1].Images) != 2 {
		t.Errorf("the lists are read as %+v", got)
	}
	bad := load(t, "-- app/Chart.yaml --\n"+
		"apiVersion: v2\nname: demo\nversion: 1.0.0\nannotations: {helm.sh/images: \"no list\"}\n")
	_, err = bad.WithListed(nil, pin)
	if err == nil || !strings.Contains(err.Error(), "helm.sh/images cannot be added to: it is not a list of images in YAML") {
		t.Errorf("a value that is not a list: %v", err)
	}
}
