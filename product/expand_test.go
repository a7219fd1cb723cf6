package product

import (
	"errors"
	"testing"
)

func TestExpand(t *testing.T) {
	info := BuildInfo{
		Version: "1.2.3", Revision: "7188425b0c96c4da0cce7cbb04872bb115213907",
		Created: "2025-01-16T21:57:50Z", SourceVersion: "0.16.1",
	}
	image := func(name string) (string, error) {
		if name == "gone" {
			return "", errors.New("it was never built")
		}
		return "registry.example/" + name + "@sha256:1", nil
	}
	for _, tc := range []struct{ in, want, err string }{
		{"-s -w", "-s -w", ""},
		{"-X main.v={{.Version}}-{{.SourceVersion}}", "-X main.v=1.2.3-0.16.1", ""},
		{"{{slice .Revision 0 8}} of {{.Created}}", "7188425b of 2025-01-16T21:57:50Z", ""},
		{`{{if and (eq .Version "1.2.3") (not (ne .Version "1"))}}a{{else if true}}b{{else}}c{{end}}`, "b", ""},
		{`{{image "web"}}`, "registry.example/web@sha256:1", ""},
		{`{{ "web" | image }}`, "registry.example/web@sha256:1", ""},
		{`{{image "gone"}}`, "", "template \"{{image \\\"gone\\\"}}\": it was never built: correct it"},
		{
			"{{.Commit}}", "",
			"template \"{{.Commit}}\": unknown field .Commit: use .Version, .Revision, .Created, .SourceVersion",
		},
		{"{{.Version", "", "template \"{{.Version\": unclosed action: check its braces and quotes"},
		{"{{slice .Version 4 2}}", "", "template \"{{slice .Version 4 2}}\": invalid slice index: 4 > 2: correct it"},
	} {
		got, err := ExpandImages(tc.in, info, image)
		says := ""
		if err != nil {
			says = err.Error()
		}
		if got != tc.want || says != tc.err {
			t.Errorf("%s becomes %q (%s), want %q (%s)", tc.in, got, says, tc.want, tc.err)
		}
	}
	if _, err := Expand(`{{image "web"}}`, info); err == nil {
		t.Error("ldflags can name images")
	}
}
