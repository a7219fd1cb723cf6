package nodes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/platform"
)

// TestFindOlder compares revisions of images and nodes: only those of one build count.
func TestFindOlder(t *testing.T) {
	node := func(name, version string) string {
		return `{"metadata": {"name": "` + name + `", "labels": {"node.kubernetes.io/windows-build": "10.0.26100"}}, "status":
			{"nodeInfo": {"operatingSystem": "windows", "architecture": "amd64", "kernelVersion": "` + version + `"}}}`
	}
	list, err := nodes.Read("nodes.json", []byte(`{"apiVersion": "v1", "kind": "NodeList", "items": [`+strings.Join([]string{
		node("old", "10.0.26100.2894"), node("same", "10.0.26100.3194"), node("new", "10.0.26100.10000"),
		node("short", "10.0.26100"), node("2022", "10.0.20348.1"), node("2019", "10.0.17763.1 (x)"),
		`{"metadata": {"name": "label", "labels": {"kubernetes.io/os": "windows", "kubernetes.io/arch": "amd64",
			"node.kubernetes.io/windows-build": "10.0.26100.1"}}}`,
		`{"metadata": {"name": "linux"}, "status": {"nodeInfo": {"operatingSystem": "linux", "architecture": "amd64"}}}`,
	}, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		images []string
		want   []string
	}{
		{[]string{"linux/amd64", "windows/amd64:10.0.26100.3194"}, []string{"10.0.26100.3194: old"}},
		{[]string{"windows/amd64:10.0.26100.10001"}, []string{"10.0.26100.10001: old same new"}},
		{[]string{"windows/amd64:10.0.20348.9"}, []string{"10.0.20348.9: 2022"}}, // 2025 runs it, as another build
		{
			[]string{"windows/amd64:10.0.26100.3000", "windows/amd64:10.0.20348.9", "windows/amd64:10.0.17763.2"},
			[]string{"10.0.26100.3000: old", "10.0.20348.9: 2022", "10.0.17763.2: 2019"},
		},
		{[]string{"windows/amd64:ltsc2025", "windows/amd64"}, nil},
		{[]string{"windows/arm64:10.0.26100.9999", "linux/amd64"}, nil},
		{nil, nil},
	} {
		var images []platform.Platform
		for _, s := range tc.images {
			var p platform.Platform
			if err := p.UnmarshalText([]byte(s)); err != nil {
				t.Fatal(err)
			}
			images = append(images, p)
		}
		var got []string
		for _, o := range nodes.FindOlder(list, images) {
			text := o.Image.OSVersion + ":"
			for _, n := range o.Nodes {
				text += " " + n.Name
			}
			got = append(got, text)
			if s := o.String(); !strings.Contains(s, o.Image.OSVersion+", has a newer revision than "+o.Nodes[0].Name+" (10.0.") ||
				!strings.Contains(s, "0xc0370106") {
				t.Errorf("it says %q", s)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.images, got, tc.want)
		}
	}
}
