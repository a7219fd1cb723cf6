package scaffold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBuildPlatforms: a build of GoReleaser has the platforms that it names, or those of its
// defaults.
func TestBuildPlatforms(t *testing.T) {
	for name, tc := range map[string]struct {
		build string
		want  []string
	}{
		"defaults": {"{}", []string{"linux/386", "linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/386", "windows/amd64", "windows/arm64"}},
		"systems":  {"{goos: [linux, darwin]}", []string{"linux/386", "linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}},
		"machines": {"{goarch: [amd64, s390x], goos: linux}", []string{"linux/amd64", "linux/s390x"}},
		"arm":      {"{goarch: [arm], goos: [linux, darwin]}", []string{"linux/arm/v6"}},
		"arms":     {"{goarch: [arm, arm64], goarm: [6, \"7\"], goos: [linux]}", []string{"linux/arm/v6", "linux/arm/v7", "linux/arm64"}},
		"ignored":  {"{goos: [linux, windows], goarch: [amd64, arm64], ignore: [{goos: windows, goarch: arm64}]}", []string{"linux/amd64", "linux/arm64", "windows/amd64"}},
		"ignored as a whole": {
			"{goos: [linux, windows], goarch: [amd64, arm64], ignore: [{goos: windows}, {goarch: arm64}]}",
			[]string{"linux/amd64"},
		},
		"ignored elsewhere": {"{goos: [linux], goarch: [amd64], ignore: [{goos: darwin, goarch: amd64}]}", []string{"linux/amd64"}},
		"targets":           {"{targets: [linux_amd64_v1, linux_arm_7, linux_arm, windows_arm64, linux_amd64_v3, x]}", []string{"linux/amd64", "linux/arm/v7", "linux/arm/v6", "windows/arm64"}},
		"targets and more":  {"{targets: [linux_amd64], goos: [darwin], goarch: [arm64]}", []string{"linux/amd64"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, buildPlatforms(node(t, tc.build))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// twoMains is a module with two programs and variables.
const twoMains = `
-- go.mod --
module github.com/example/app
-- main.go --
package main

var version, commit string

func main() {}
-- cmd/tool/main.go --
package main

func main() {}
-- pkg/version/version.go --
package version

var (
	Version = "dev"
	GitCommit string
)
`

// ofReleasers is what a draft has from the files of tools that release.
func ofReleasers(d *Draft) map[string]string {
	got := map[string]string{}
	add := func(key string, value any) {
		if s := fmt.Sprint(value); s != "[]" && s != "" && s != "map[]" {
			got[key] = s
		}
	}
	add("archived", d.archived)
	add("platforms", d.artifactPlatforms)
	add("ldflags", d.given("ldflags"))
	add("tags", d.given("tags"))
	add("cgo", d.withCgo)
	add("ko platforms", d.koClaims)
	add("ko builds", d.koBuilt)
	add("ko bases", d.koBases)
	for _, b := range d.dockerBuilds {
		args := ""
		if len(b.args) > 0 {
			args = " " + strings.ReplaceAll(mapping(b.args), `"`, "")
		}
		add("image of "+b.file, fmt.Sprint(got["image of "+b.file], b.names, b.platforms, args))
	}
	for _, q := range d.Questions {
		add("asks "+q.Key, q.Candidates)
	}
	for _, l := range d.left {
		add(l.kind, l.items)
	}
	return got
}

// usually are the flags of a build that names none, of what the programs here have.
const usually = "[-s -w -X main.version={{bare}} -X main.commit={{.Revision}}]"

// releaserCases are files of tools that release, and what a draft has from them.
var releaserCases = map[string]struct {
	files string
	want  map[string]string
}{
	"none": {"", map[string]string{}},
	"GoReleaser": {
		`
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs: {release: {steps: [{uses: goreleaser/goreleaser-action@v6}]}}
-- .goreleaser.yaml --
builds:
  - {goos: [linux, plan9], goarch: [amd64], tags: [x], ldflags: ["-s -w -X main.version={{.Version}}"]}
  - {main: ./cmd/tool, binary: t, env: [CGO_ENABLED=1], targets: [linux_arm_7]}
  - {binary: rusty, builder: rust}
  - {binary: no, skip: "true"}
nfpms: [{}]
`,
		map[string]string{
			"archived": "[app t]", "platforms": "[linux/amd64 plan9/amd64 linux/arm/v7]", "cgo": ".goreleaser.yaml:3",
			"ldflags": usually, "programs that are not Go's": "[rusty, by rust (.goreleaser.yaml:4)]",
			"what a release here does not make": "[nfpms (.goreleaser.yaml)]", "tags": "[x]",
		},
	},
	"GoReleaser, of developers": {
		"-- .goreleaser.yml --\nproject_name: x\nbuilds: [{binary: '{{.ProjectName}}', targets: [linux_amd64]}]\n",
		map[string]string{"archived": "[x]", "platforms": "[linux/amd64]", "asks artifacts": "[{linux/amd64 [.goreleaser.yml:2]}]", "ldflags": usually},
	},
	"a file that what publishes names": {
		"-- .goreleaser.yml --\nbuilds: [{binary: x}]\n-- .github/.goreleaser2.yml --\nbuilds: [{binary: y, targets: [linux_amd64], ldflags: [-w]}]\n" +
			"-- .github/workflows/release.yml --\non: {push: {tags: ['v*']}}\njobs: {release: {steps: [{uses: goreleaser/goreleaser-action@v6, with: {args: release --config .github/.goreleaser2.yml}}]}}\n",
		map[string]string{
			"archived": "[y]", "platforms": "[linux/amd64]", "ldflags": "[-w]",
			"further files of GoReleaser": "[.goreleaser.yml]",
		},
	},
	"a main that is not there": {
		"-- .goreleaser.yaml --\nbuilds: [{binary: x, main: ./cmd/x}]\n",
		map[string]string{"programs of archives that are not a main package here": "[x (.goreleaser.yaml:1)]"},
	},
	"images of GoReleaser": {
		`
-- Dockerfile --
FROM scratch
-- arm.Dockerfile --
FROM scratch
-- .goreleaser.yaml --
builds: [{binary: app, goos: [linux], goarch: [amd64]}]
dockers:
  - {image_templates: ["r.io/a:{{.Tag}}-amd64"], build_flag_templates: ["--platform=linux/amd64", "--build-arg=A=b"]}
  - {dockerfile: arm.Dockerfile, goarch: arm64, image_templates: ["r.io/a:{{.Tag}}-arm64"]}
docker_manifests:
  - {name_template: "r.io/a:{{.Tag}}", image_templates: ["r.io/a:{{.Tag}}-amd64"]}
dockers_v2:
  - {images: [r.io/b, s.io/b], tags: [x, y], platforms: [linux/s390x], build_args: {C: d}}
`,
		map[string]string{
			"archived": "[app]", "platforms": "[linux/amd64]", "asks artifacts": "[{linux/amd64 [.goreleaser.yaml:1]}]",
			"image of Dockerfile": "[r.io/a:{{.Tag}}-amd64 r.io/a:{{.Tag}}] [linux/amd64] {A: b}" +
				"[r.io/b:x r.io/b:y s.io/b:x s.io/b:y] [linux/s390x] {C: d}",
			"image of arm.Dockerfile": "[r.io/a:{{.Tag}}-arm64] [linux/arm64]", "ldflags": usually,
		},
	},
	"an environment, and images as they were": {
		`
-- Dockerfile --
FROM scratch
-- .goreleaser.yaml --
project_name: proj
env: [CGO_ENABLED=1, 'P={{ "main" }}']
builds: [{binary: app, goos: [linux], goarch: [amd64], ldflags: ['-X {{ .Env.P }}.version={{.Version}}']}]
dockers:
  - {image: "r.io/{{ .ProjectName }}", latest: true}
  - {goarch: arm, image_templates: ["r.io/{{.ProjectName}}:x"], build_flag_templates: [--platform=linux/arm64/v8]}
`,
		map[string]string{
			"archived": "[app]", "platforms": "[linux/amd64]", "asks artifacts": "[{linux/amd64 [.goreleaser.yaml:3]}]",
			"cgo": ".goreleaser.yaml:2", "ldflags": "[-X main.version={{bare}}]",
			"image of Dockerfile": "[r.io/proj:{{ .Version }} r.io/proj:latest] [linux/amd64][r.io/proj:x] [linux/arm64/v8]",
		},
	},
	"one build, and tags of releases alone": {
		"-- Dockerfile --\nFROM scratch\n-- .goreleaser.yaml --\nbuild: {binary: app, goos: [linux], goarch: [amd64]}\ndockers_v2: [{images: [r.io/a], tags: ['{{ if not .Prerelease }}v{{ .Major }}{{ end }}']}]\n",
		map[string]string{
			"archived": "[app]", "platforms": "[linux/amd64]", "asks artifacts": "[{linux/amd64 [.goreleaser.yaml:1]}]",
			"image of Dockerfile": "[r.io/a:v{{ .Major }}] []", "ldflags": usually,
		},
	},
	"ko of GoReleaser": {
		`
-- .goreleaser.yaml --
builds: [{id: tool, main: ./cmd/tool, binary: tool, goos: [linux], goarch: [amd64]}]
kos:
  - {build: tool, platforms: [linux/arm64, linux/amd64, windows/amd64], base_image: r.io/base}
  - {main: ./cmd/other}
`,
		map[string]string{
			"archived": "[tool]", "platforms": "[linux/amd64]", "asks artifacts": "[{linux/amd64 [.goreleaser.yaml:1]}]",
			"ko platforms": "[{linux/amd64,linux/arm64 4 {.goreleaser.yaml 3}}]", "ko bases": "map[:r.io/base]",
			"ldflags":   usually,
			"ko builds": "[{cmd/tool 4 {.goreleaser.yaml 3}} {cmd/other 4 {.goreleaser.yaml 4}}]",
		},
	},
	"promu": {
		`
-- .promu.yml --
go: {cgo: true}
build:
  binaries: [{name: app, path: .}, {name: tool, path: ./cmd/tool}, {name: none, path: ./none}]
  tags: {all: [netgo]}
  ldflags: |
    -s
    -X github.com/example/app/pkg/version.Version={{.Version}}
    -X github.com/example/app/pkg/version.Branch={{.Branch}}
tarball: {files: [LICENSE]}
crossbuild: {platforms: [linux/amd64, linux/arm/v7, aix/ppc64, linux]}
`,
		map[string]string{
			"archived": "[app tool]", "cgo": ".promu.yml:1", "tags": "[netgo]",
			"ldflags":   "[-s -X github.com/example/app/pkg/version.Version={{bare}}]",
			"platforms": "[linux/amd64 linux/arm/v7 aix/ppc64]",
			"programs of archives that are not a main package here": "[none (.promu.yml:3)]",
			"files of archives, which files of the artifact name":   "[LICENSE (.promu.yml)]",
			"values of the linker for variables that do not exist":  "[github.com/example/app/pkg/version.Branch (.promu.yml:5)]",
		},
	},
	"promu without programs": {"-- .promu.yml --\nbuild: {}\n", map[string]string{"archived": "[app]"}},
	"ko": {
		"-- .ko.yaml --\ndefaultBaseImage: r.io/a\nbaseImageOverrides: {github.com/example/app/cmd/tool: r.io/b}\ndefaultPlatforms: [linux/arm64, linux/arm, all]\n",
		map[string]string{
			"ko bases":     "map[:r.io/a github.com/example/app/cmd/tool:r.io/b]",
			"ko platforms": "[{linux/arm/v7,linux/arm64 4 {.ko.yaml 3}}]",
		},
	},
}

// TestReleasers: what GoReleaser, promu and ko are told is what a draft has of programs, archives
// and images.
func TestReleasers(t *testing.T) {
	for name, tc := range releaserCases {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains+tc.files)
			d.ko()
			d.promu()
			d.goreleaser()
			if diff := cmp.Diff(tc.want, ofReleasers(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKoBuild: packages and platforms of commands of ko count, wherever they run.
func TestKoBuild(t *testing.T) {
	for name, tc := range map[string]struct {
		script    string
		platforms []string
		built     []string
	}{
		"another command": {"go build ./cmd/tool", nil, nil},
		"a package":       {"ko build ./cmd/tool", nil, []string{"cmd/tool"}},
		"all of them":     {"ko publish --bare ./...", nil, []string{"..."}},
		"by its path":     {"ko build github.com/example/app/cmd/tool", nil, []string{"cmd/tool"}},
		"in a directory":  {"cd cmd && ko build ./tool", nil, []string{"cmd/tool"}},
		"no package":      {"ko build --bare --tags v1 -t v2", nil, []string{"."}},
		"one of none":     {"cd cmd/tool; ko build --sbom none", nil, []string{"cmd/tool"}},
		"by go":           {"go run github.com/google/ko@v0.19.1 build ./x", nil, []string{"x"}},
		"by a variable":   {"$(KO) build ./x; bin/ko build ./y", nil, []string{"x", "y"}},
		"of manifests":    {"ko resolve -f ./config --platform=linux/arm64", []string{"linux/arm64"}, nil},
		"platforms":       {"ko build --platform linux/arm64,linux/amd64,windows/amd64 ./x", []string{"linux/amd64,linux/arm64"}, []string{"x"}},
		"not known":       {"ko build --platform=$PLATFORMS .", nil, []string{"."}},
		"all platforms":   {"ko build --platform=all .", nil, []string{"."}},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains+"-- build.sh --\n"+tc.script+"\n")
			d.findBuilds()
			value := func(c []claim) (list []string) {
				for _, c := range c {
					list = append(list, c.value)
				}
				return list
			}
			if diff := cmp.Diff([][]string{tc.platforms, tc.built}, [][]string{value(d.koClaims), value(d.koBuilt)}); diff != "" {
				t.Errorf("platforms, packages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestKoName: a command of ko names its image, also in a function, unless it pushes nothing.
func TestKoName(t *testing.T) {
	d := reader(t, twoMains+`-- cloudbuild.yaml --
x: |
  f() { KO_DOCKER_REPO="$1" go run github.com/google/ko@v0.19.1 build --bare "$2"; }
  f r.io/a/B ./cmd/tool
  KO_DOCKER_REPO=r.io/c ko build -t latest -B -t "${CI_COMMIT_TAG//v/}" .
  KO_DOCKER_REPO=r.io/d ko build --local .
`)
	d.findBuilds()
	want := []named{
		{repository: "r.io/a/b", of: "cmd/tool", rank: publishes, at: place{"cloudbuild.yaml", 2}},
		{repository: "r.io/c/app", of: ".", rank: publishes, at: place{"cloudbuild.yaml", 4}},
		{repository: "r.io/d/app", of: ".", rank: develops, at: place{"cloudbuild.yaml", 5}},
	}
	if diff := cmp.Diff(want, d.koNames, cmp.AllowUnexported(named{}, place{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Equal(d.koFloats, []string{"latest"}) || !slices.Equal(d.koTags, []string{"{{.Version}}"}) {
		t.Errorf("the tags are %v, %v", d.koTags, d.koFloats)
	}
	if d.koLast["cmd/tool"] != "B" || len(d.koLast) != 1 {
		t.Errorf("the last parts are %v", d.koLast)
	}
}

// TestArchivePlatforms: two tools do not both decide, and without a program there is no archive.
func TestArchivePlatforms(t *testing.T) {
	d := reader(t, twoMains)
	d.archivePlatforms("promu", []string{"linux/amd64"}, place{"x", 1})
	if len(d.artifactPlatforms) > 0 || len(d.Questions) > 0 {
		t.Errorf("without a program there are archives for %q", d.artifactPlatforms)
	}
	d.archived = []string{"app"}
	d.publishers.texts["Makefile"] = "promu release"
	d.archivePlatforms("promu", []string{"linux/amd64", "linux/amd64", "linux/arm/v6"}, place{"x", 1})
	if !slices.Equal(d.artifactPlatforms, []string{"linux/amd64", "linux/arm/v6"}) || len(d.Questions) > 0 {
		t.Errorf("archives are for %q; it asks %v", d.artifactPlatforms, d.Questions)
	}
	if got := d.seen["artifacts"]; !slices.Equal(got, []string{"x:1"}) {
		t.Errorf("it is from %q", got)
	}
}
