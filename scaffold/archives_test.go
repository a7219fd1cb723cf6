package scaffold

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestArchiveName: what GoReleaser calls an archive is what slipway.yaml has, or it is not known.
func TestArchiveName(t *testing.T) {
	one := download{programs: []string{"tool"}}
	for template, tc := range map[string]struct {
		of   download
		want string
	}{
		usualArchive: {one, "app_" + asBare + "_{{.OS}}_{{.Arch}}"},
		"{{.ProjectName}}-{{.Tag}}-{{.Os}}-{{.Arch}}{{if .Arm}}v{{.Arm}}{{end}}": {one, "app-" + asTag + "-{{.OS}}-{{.Arch}}"},
		"{{ .Binary }}_{{ tolower .Os }}":                                        {one, "tool_{{.OS}}"},
		"{{ .Binary }}":                                                          {download{programs: []string{"a", "b"}, binary: true}, "{{.Name}}"},
		"{{ .ProjectName }}_\n{{- title .Os }}_\n{{- if eq .Arch \"amd64\" }}x\n{{- else }}{{ .Arch }}{{ end }}": {one, "app_" + systemNames + `_{{if eq .Arch "amd64"}}x{{else}}{{.Arch}}{{end}}`},
		"{{ .Os }}-{{ .Arch }}":               {download{platforms: []string{"linux/amd64", "linux/arm/v6"}}, `{{.OS}}-{{if eq .Arch "armv6"}}arm{{else}}{{.Arch}}{{end}}`},
		"{{ .Binary }}_":                      {download{programs: []string{"a", "b"}}, ""},
		"{{ .Env.NAME }}":                     {one, ""},
		`{{ if eq .Arch "arm" }}x{{ end }}`:   {one, ""},
		`{{ if .IsSnapshot }}next{{ end }}`:   {one, ""},
		"plain":                               {one, "plain"},
		"one for all":                         {download{platforms: []string{"linux/amd64", "linux/arm64"}}, ""},
		"{{ .Arch }}-one for both":            {download{platforms: []string{"linux/amd64", "darwin/amd64"}}, ""},
		`{{ with .Mips }}_{{ . }}{{ end }}-x`: {one, "-x"},
	} {
		got, ok := archiveName(template, "app", tc.of)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s is %q, %v; want %q", template, got, ok, tc.want)
		}
	}
}

// TestArchives: each archive has the programs of its builds, in its formats.
func TestArchives(t *testing.T) {
	const builds = `builds:
- {id: a, main: ./cmd/a, binary: a, goos: [linux, windows], goarch: [amd64]}
- {id: b, main: ./cmd/b, binary: b, goos: [linux], goarch: [amd64]}
`
	for name, tc := range map[string]struct {
		archives string
		want     []download
		left     map[string][]string
	}{
		"none named": {"", []download{{
			programs: []string{"a", "b"}, platforms: []string{"linux/amd64", "windows/amd64"},
			file: "origin_{{bare}}_{{.OS}}_{{.Arch}}", formats: map[string]string{"windows": "tar.gz"}, at: place{".goreleaser.yaml", 1},
		}}, nil},
		"one each": {"archives:\n- {ids: [a], name_template: '{{.Binary}}_{{.Os}}', format_overrides: [{goos: windows, formats: [zip]}]}\n- {builds: [b], format: binary, name_template: '{{.Binary}}'}\n- {ids: [c]}\n- {ids: [b], replacements: {linux: Linux}}\n", []download{
			{name: "a", programs: []string{"a"}, platforms: []string{"linux/amd64", "windows/amd64"}, file: "a_{{.OS}}", at: place{".goreleaser.yaml", 5}},
			{name: "b", programs: []string{"b"}, platforms: []string{"linux/amd64"}, file: "{{.Name}}", binary: true, at: place{".goreleaser.yaml", 6}},
			{name: "b-2", programs: []string{"b"}, platforms: []string{"linux/amd64"}, at: place{".goreleaser.yaml", 8}},
		}, nil},
		"two of all": {"archives:\n- {id: x, formats: [tar.xz]}\n- {name_template: '{{.Env.X}}', formats: [zip]}\n", []download{
			{name: "x", programs: []string{"a", "b"}, platforms: []string{"linux/amd64", "windows/amd64"}, file: "origin_{{bare}}_{{.OS}}_{{.Arch}}", at: place{".goreleaser.yaml", 5}},
			{name: "origin", programs: []string{"a", "b"}, platforms: []string{"linux/amd64", "windows/amd64"}, formats: map[string]string{"linux": "zip"}, at: place{".goreleaser.yaml", 6}},
		}, map[string][]string{
			"formats of archives that a release does not have, or not besides": {"tar.xz (.goreleaser.yaml:5)"},
			"names of archives, which archiveName of the artifact would give":  {"{{.Env.X}} (.goreleaser.yaml:6)"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, "-- go.mod --\nmodule example.com/origin\n-- cmd/a/main.go --\npackage main\n\nfunc main() {}\n-- cmd/b/main.go --\npackage main\n\nfunc main() {}\n"+
				"-- .goreleaser.yaml --\n"+builds+tc.archives)
			d.goreleaser()
			if diff := cmp.Diff(tc.want, d.archives, cmp.AllowUnexported(download{}, place{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for kind, want := range tc.left {
				if diff := cmp.Diff(want, said(d, kind)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
}
