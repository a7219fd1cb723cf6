package scaffold

import (
	"maps"
	"testing"
)

// pushed is a workflow that pushes the image of a case.
const pushed = `
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"], branches: [main]}}
jobs:
  image:
    steps:
      - run: |
          docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:$GITHUB_REF_NAME . ${MORE}
`

// TestKinds: what looks like a fact of a release and is none is a question, or said.
func TestKinds(t *testing.T) {
	check(t, map[string]factCase{
		"a Dockerfile that branches alone build": {
			files: pushed + `
  other:
    if: github.ref == 'refs/heads/main'
    steps:
      - run: docker build --push -t ghcr.io/example/site:main -f site/Dockerfile site
-- site/Dockerfile --
FROM scratch
COPY Dockerfile /
`,
			asks: []string{"images: Dockerfile|Dockerfile, site/Dockerfile|none"},
			want: []string{"  - name: app"},
		},
		"a file that is called like a Dockerfile": {
			files: pushed + "-- plugins/dockerfile-0.3.3.wasm --\nx\n-- Dockerfile.tpl --\nFROM {{x}}\n-- Dockerfile.ssh-node --\nFROM scratch\n",
			left:  []string{"Dockerfiles that nothing which publishes builds"},
		},
		"a context that only a shell knows": {
			files: `
-- hack/release.sh --
docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:v1.2.3 -f Dockerfile "$RUNNER_TEMP/first"
-- .gitlab-ci.yml --
x: {script: [./hack/release.sh]}
`,
			asks: []string{"images[app].dockerfile.context: "},
		},
		"a tag of a base that only a shell knows": {
			files: `
-- Dockerfile --
ARG TAG=latest
FROM ghcr.io/example/base:$TAG
-- .gitlab-ci.yml --
x: {script: ['docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:v1.2.3 --build-arg TAG=$BASE .']}
`,
			asks: []string{"args.TAG: {{.Version}}|latest"},
		},
		"the version of something else": {
			files: `
-- Dockerfile --
FROM scratch
ARG VERSION
COPY bin/app-$VERSION /app
-- .gitlab-ci.yml --
x: {script: ['docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:v1.2.3 --build-arg VERSION=$GO_VERSION .']}
`,
			asks: []string{"args.VERSION: "},
		},
		"an image that has the product's name alone": {
			files: "-- .ko.yaml --\ndefaultPlatforms: [linux/amd64]\n-- go.mod --\nmodule github.com/example/thing\n" +
				"-- .gitlab-ci.yml --\nx: {script: ['ko build ./cmd/app --bare']}\n-- README.md --\n`docker run example/thing`\n",
			asks: []string{"destinations: docker.io/example", "images[app].repository: docker.io/example/thing", "tagPrefix: v1.2.3|1.2.3"},
			want: []string{"    repository: example/thing  # README.md:1"},
		},
		"a stage of developers that is published, too": {
			files: pushed + `
      - run: docker build --push --target dev -t ghcr.io/example/app:dev-env .
-- Dockerfile --
FROM scratch AS dev
COPY bin/app /dev
FROM scratch
COPY bin/app /app
`,
			want: []string{"-target: dev"},
			left: []string{"stages that are not released"},
		},
		"a manifest of another owner's image": {
			files: "-- Dockerfile --\nFROM scratch\nCOPY go.mod /\n-- .gitlab-ci.yml --\nx: {script: ['docker buildx build --push --platform linux/amd64 -t $NAME:v1.2.3 .']}\n" +
				"-- deploy/app.yaml --\napiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec: {containers: [{name: app,\n  image: docker.io/origin/app:v1.0.0}]}\n-- docs/install.md --\nRun `kubectl apply -f deploy/app.yaml`.\n",
			asks: []string{"destinations: docker.io/origin"},
			want: []string{"    - {path: deploy/app.yaml}  # docs/install.md:1"},
		},
		"two Dockerfiles of one name": {
			files: pushed + "      - run: docker build --push -t ghcr.io/example/app:$GITHUB_REF_NAME -f other/Dockerfile .\n-- other/Dockerfile --\nFROM scratch\nCOPY go.mod /\n",
			asks:  []string{"images[app].dockerfile.files: Dockerfile|other/Dockerfile"},
			want:  []string{"-other/Dockerfile}"},
			left:  []string{"further Dockerfiles of one name"},
		},
		"what .ko.yaml takes from an environment": {
			files: "-- .ko.yaml --\nbuilds:\n- ldflags: ['-X main.version={{.Env.TAG}}', -w]\n-- cmd/app/main.go --\npackage main\n\nvar version = \"\"\n\nfunc main() {}\n" +
				"-- .gitlab-ci.yml --\nx: {script: ['KO_DOCKER_REPO=ghcr.io/example ko build -B --platform linux/amd64 --tags v1.2.3 ./cmd/app']}\n",
			want: []string{`      - "-X main.version={{.Version}}"  # .ko.yaml:2`, "      - -w  # .ko.yaml:2"},
		},
	})
}

// TestOutput: places of a program that are one file become one.
func TestOutput(t *testing.T) {
	const arch, variant, fixed = "bin/linux-{{.Arch}}/x", "bin/linux-{{.Arch}}{{.Variant}}/x", "bin/linux-amd64/x"
	for name, tc := range map[string]struct {
		add  []string
		want []string
	}{
		"a variant":             {[]string{arch, variant}, []string{variant}},
		"a variant first":       {[]string{variant, arch}, []string{variant}},
		"an architecture":       {[]string{arch, fixed}, []string{fixed}},
		"an architecture first": {[]string{fixed, arch}, []string{fixed}},
		"of another machine":    {[]string{arch, "bin/linux-s390x/x"}, []string{arch, "bin/linux-s390x/x"}},
		"two":                   {[]string{arch, "x"}, []string{arch, "x"}},
	} {
		p := &part{d: &Draft{platforms: []string{"linux/amd64", "linux/arm/v7"}}, os: "linux", outputs: map[string]string{"y": "y"}}
		for _, at := range tc.add {
			p.output(at, "x")
		}
		want := map[string]string{"y": "y"}
		for _, at := range tc.want {
			want[at] = "x"
		}
		if !maps.Equal(p.outputs, want) {
			t.Errorf("%s: the outputs are %v", name, p.outputs)
		}
	}
}

// TestFaultOf: an error has the file that it is about.
func TestFaultOf(t *testing.T) {
	for text, want := range map[string]string{
		"building image x: linux/amd64: Dockerfile:7:5: RUN y": "Dockerfile",
		"slipway.yaml:3:4: z":                        "slipway.yaml",
		"charts/a/values.schema.json: no":            "charts/a/values.schema.json",
		"ytt sees templates a/x and b/x both as x: ": "b/x",
		"release.yaml breaks rules: z":               "",
		"nothing: z":                                 "",
	} {
		if got := faultOf(text).file; got != want {
			t.Errorf("%q is of %q", text, got)
		}
	}
}
