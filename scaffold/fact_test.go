package scaffold

import (
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// program is the part of a repository that every case below has.
const programFiles = `
-- go.mod --
module github.com/example/app
-- cmd/app/main.go --
package main

func main() {}
-- Dockerfile --
FROM scratch
COPY bin/app /app
ENTRYPOINT ["/app"]
`

// factCase is a repository, beside [programFiles], and what comes of it.
type factCase struct {
	files string
	want  []string // lines of slipway.yaml; one with a - in front of it must not be there
	asks  []string // key: candidates
	left  []string // kinds of what is left out
}

// check reads the repository of each case.
func check(t *testing.T, cases map[string]factCase) {
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := txtar.Parse([]byte(tc.files)).Files
			for _, f := range txtar.Parse([]byte(programFiles)).Files {
				if !slices.ContainsFunc(files, func(o txtar.File) bool { return o.Name == f.Name }) {
					files = append(files, f)
				}
			}
			d, err := read(repository(files), "/app", true, Options{})
			must(t, err)
			d.decideFlags()
			text := string(d.YAML())
			for _, line := range tc.want {
				if not, ok := strings.CutPrefix(line, "-"); ok && strings.Contains(text, not) {
					t.Errorf("slipway.yaml has %q", not)
				} else if !ok && !strings.Contains("\n"+text, "\n"+line+"\n") {
					t.Errorf("slipway.yaml lacks %q", line)
				}
			}
			var asks, left []string
			for _, q := range d.Questions {
				var values []string
				for _, c := range q.Candidates {
					values = append(values, c.Value)
				}
				asks = append(asks, q.Key+": "+strings.Join(values, "|"))
			}
			for _, l := range d.left {
				left = append(left, l.kind)
			}
			for _, want := range tc.left {
				if !slices.Contains(left, want) {
					t.Errorf("it is not said that %q are left out: %q", want, left)
				}
			}
			slices.Sort(asks)
			slices.Sort(tc.asks)
			if !slices.Equal(asks, tc.asks) {
				t.Errorf("it asks\n%s\nand not\n%s", strings.Join(asks, "\n"), strings.Join(tc.asks, "\n"))
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// TestFacts: a fact has the place that proves it, or is a question with what it may be. What
// publishes comes before what users install, and that before what developers run.
func TestFacts(t *testing.T) {
	check(t, map[string]factCase{
		"platforms of a workflow, before those of make": {
			files: `
-- Makefile --
PLATFORMS ?= linux/amd64,linux/s390x
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs:
  image:
    steps:
      - uses: docker/build-push-action@v6
        with:
          push: true
          platforms: linux/amd64,linux/arm64
          tags: ghcr.io/example/app:${{ github.ref_name }}
`,
			want: []string{
				"platforms: [linux/amd64, linux/arm64]  # .github/workflows/release.yml:5",
				"  - {name: upstream, registry: ghcr.io}  # .github/workflows/release.yml:5",
				`  repository: "example/{{.Name}}"`,
			},
		},
		"a workflow for pull requests publishes nothing": {
			files: `
-- .github/workflows/test.yml --
on: pull_request
jobs:
  image:
    steps:
      - run: docker build --platform=linux/s390x -t bitnami/app:local . && docker push bitnami/app:local
`,
			asks: []string{
				"images: Dockerfile|none",
				"platforms[linux]: linux/s390x|linux/amd64,linux/arm64|linux/amd64", "destinations: docker.io/bitnami", "tagPrefix: v1.2.3|1.2.3",
			},
		},
		"lists of make by their values, whatever their names": {
			files: `
-- Makefile --
REGISTRY := registry.example.net/team
THE_MACHINES = amd64 arm s390x
push: $(addprefix push-,$(THE_MACHINES))
push-%:
	docker buildx build --push --platform=linux/$* -t $(REGISTRY)/app:$(VERSION) .
-- cloudbuild.yaml --
steps: [{name: gcr.io/builder, entrypoint: make, args: [push]}]
`,
			want: []string{
				"platforms: [linux/amd64, linux/arm/v7, linux/s390x]  # Makefile:2",
				"  - {name: upstream, registry: registry.example.net}  # Makefile:5",
			},
			asks: []string{"tagPrefix: v1.2.3|1.2.3"},
		},
		"a default of make that nothing publishes with": {
			files: `
-- Makefile --
BUILD_PLATFORMS ?= linux/amd64,linux/s390x
IMG ?= controller:latest
image:
	docker buildx build --platform=${BUILD_PLATFORMS} -t $(IMG) .
`,
			asks: []string{"destinations: ", "images: Dockerfile|none", "platforms[linux]: linux/amd64,linux/s390x|linux/amd64,linux/arm64|linux/amd64", "tagPrefix: v1.2.3|1.2.3"},
		},
		"a push of make alone, of a fixed list": {
			files: `
-- Makefile --
ARCHS = amd64 ppc64le
docker-push:
	for a in $(ARCHS); do docker build --platform linux/$$a -t quay.io/example/app:$(TAG)-$$a . && docker push quay.io/example/app:$(TAG)-$$a; done
`,
			want: []string{
				"platforms: [linux/amd64, linux/ppc64le]  # Makefile:3",
				"  - {name: upstream, registry: quay.io}  # Makefile:3",
			},
			asks: []string{"tagPrefix: v1.2.3|1.2.3"},
		},
		"platforms of a pipeline": {
			files: `
-- tekton/release.yaml --
kind: Pipeline
spec:
  params:
    - {name: platforms, default: "linux/amd64,linux/arm64,linux/arm/v7"}
`,
			want: []string{"platforms: [linux/amd64, linux/arm/v7, linux/arm64]  # tekton/release.yaml:4"},
			asks: []string{"destinations: ", "images: Dockerfile|none", "tagPrefix: v1.2.3|1.2.3"},
		},
		"a Dockerfile that nothing publishes": {
			files: `
-- build/extra/Dockerfile --
FROM golang
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs:
  image:
    steps:
      - uses: docker/build-push-action@v6
        with: {push: true, platforms: linux/amd64, tags: "ghcr.io/example/app:${{ github.ref_name }}"}
`,
			want: []string{"-extra"},
			left: []string{"Dockerfiles that nothing which publishes builds"},
		},
		"an argument that carries the version": {
			files: `
-- Dockerfile --
FROM scratch
ARG VERSION=main
ENV VERSION=$VERSION
COPY bin/app /app
ENTRYPOINT ["/app"]
-- docker-bake.hcl --
target "app" {
  tags = ["ghcr.io/example/app:v1.0.0"]
  platforms = ["linux/amd64", "linux/arm64"]
  args = { VERSION = "main" }
}
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs:
  image:
    steps:
      - run: docker buildx bake --push -f docker-bake.hcl
`,
			want: []string{`        VERSION: '{{.Version}}'  # docker-bake.hcl:1`},
			asks: []string{"args.VERSION: {{.Version}}|main"},
		},
		"the base of developers": {
			files: `
-- Dockerfile --
ARG BASE=scratch
FROM $BASE
COPY bin/app /app
ENTRYPOINT ["/app"]
-- Makefile --
image:
	docker build --build-arg BASE=alpine:3.20 -t app .
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs:
  image:
    steps:
      - uses: docker/build-push-action@v6
        with: {push: true, platforms: linux/amd64, tags: "ghcr.io/example/app:${{ github.ref_name }}"}
`,
			want: []string{"-alpine"},
		},
		"the base of developers, and nothing else": {
			files: `
-- Dockerfile --
ARG BASE=scratch
FROM $BASE
COPY bin/app /app
ENTRYPOINT ["/app"]
-- Makefile --
image:
	docker build --build-arg BASE=alpine:3.20 -t app .
`,
			asks: []string{
				"destinations: ", "images: Dockerfile|none",
				"platforms[linux]: linux/amd64,linux/arm64|linux/amd64", "args.BASE: alpine:3.20|scratch", "tagPrefix: v1.2.3|1.2.3",
			},
		},
		"several kustomizations": {
			files: `
-- config/default/kustomization.yaml --
resources: [app.yaml]
-- config/other/kustomization.yaml --
resources: [app.yaml]
-- README.md --
kubectl apply -k config/other
-- .ko.yaml --
defaultPlatforms: [linux/amd64, linux/arm64]
`,
			want: []string{"    - {path: config/other}  # README.md:1", "platforms: [linux/amd64, linux/arm64]  # .ko.yaml:1"},
			asks: []string{"destinations: ", "images: Dockerfile|none", "tagPrefix: v1.2.3|1.2.3"},
			left: []string{"further manifests and kustomizations"},
		},
	})
}
