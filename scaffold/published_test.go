package scaffold

import "testing"

// steps is a workflow for tags and branches, to which a case adds its steps.
const steps = "\n-- .github/workflows/release.yml --\non: {push: {tags: ['v*'], branches: [main]}, pull_request: {}}\njobs:\n  image:\n    steps:\n"

// pushesApp is a step that pushes the image app.
const pushesApp = "      - run: docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:$GITHUB_REF_NAME .\n"

// TestPublished: what only looks like a part of a release gives it nothing, and what is a part of it
// is there, said or asked for.
func TestPublished(t *testing.T) {
	const chart = "-- charts/app/Chart.yaml --\napiVersion: v2\nname: app\nversion: 0.1.1\nappVersion: v0.8.0\n"
	check(t, map[string]factCase{
		"names of branches and pull requests": {
			files: steps + `      - uses: docker/build-push-action@v6
        if: ${{ startsWith(github.ref, 'refs/tags/v') != true && github.event_name != 'pull_request' }}
        with: {context: ., push: true, platforms: linux/amd64, tags: "example/app-git:${{ github.ref_name }}"}
      - uses: docker/build-push-action@v6
        if: github.event_name == 'pull_request'
        with: {context: ., push: true, platforms: linux/amd64, tags: "example/app-git:PR-${{ github.event.pull_request.number }}"}
      - uses: docker/build-push-action@v6
        if: startsWith(github.ref, 'refs/tags/v')
        with: {context: ., push: true, platforms: linux/amd64, tags: "example/app:${{ github.ref_name }}"}
`,
			want: []string{"  - name: app", "-app-git", "-PR-"},
			left: []string{"images built for branches, pull requests or a schedule only"},
		},
		"a platform as containerd reads it, and none": {
			files: steps + `      - uses: docker/build-push-action@v6
        with: {context: ., push: true, platforms: "linux/amd64,linux/arm/7,linux/vax", tags: "example/app:${{ github.ref_name }}"}
`,
			want: []string{"platforms: [linux/amd64, linux/arm/v7]  # .github/workflows/release.yml:5"},
			left: []string{"platforms of builds that no release has"},
		},
		"platforms that nothing tells, of one image": {
			files: steps + pushesApp + "      - run: docker buildx build --push --platform \"$(./platforms)\" -t ghcr.io/example/tool:$GITHUB_REF_NAME -f tool/Dockerfile tool\n" +
				"-- tool/Dockerfile --\nFROM scratch\nCOPY Dockerfile /\n",
			asks: []string{"platforms[linux]: linux/amd64|linux/amd64,linux/arm64"},
		},
		"a version that a script gives a chart": {
			files: steps + pushesApp + "      - run: yq -i \".version = \\\"$V\\\"\" charts/app/Chart.yaml && helm push app.tgz oci://ghcr.io/example\n" + chart,
			asks:  []string{"charts[app].version: " + bare + "|0.1.1"},
			want:  []string{"    version: '" + bare + "'  # .github/workflows/release.yml:6"},
		},
		"a version that a chart has": {
			files: steps + pushesApp + "      - run: helm push app.tgz oci://ghcr.io/example\n" + chart,
			want:  []string{"    version: 0.1.1"},
		},
		"a name that only a secret has": {
			files: steps + "      - run: docker buildx build --push --platform linux/amd64 -t ${{ secrets.OWNER }}/app:$GITHUB_REF_NAME -t ghcr.io/example/app:$GITHUB_REF_NAME .\n",
			left:  []string{"names of images that nothing here tells"},
		},
		"a name that only a secret has, and another one that users have": {
			files: steps + "      - run: docker buildx build --push --platform linux/amd64 -t ${{ secrets.OWNER }}/app:$GITHUB_REF_NAME .\n-- README.md --\n`gateway.example.io/example/app`\n",
			asks:  []string{"destinations: gateway.example.io/example"},
		},
		"manifests in a directory of no such name": {
			files: steps + pushesApp + "-- docs/install.md --\nkubectl apply -f https://raw.githubusercontent.com/example/app/main/daemonset/app.yaml -f daemonset/none.yaml\n" +
				"-- daemonset/app.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n",
			left: []string{"manifests that the documentation applies, which templates of release would name"},
		},
		"the name of the only program": {
			files: "-- .github/workflows/test.yml --\non: push\njobs: {t: {steps: [{run: docker build -t test/thing:latest .}]}}\n-- README.md --\n`registry.k8s.io/sig-x/app:v1.0.0`\n" +
				"-- Makefile --\npush:\n\tdocker buildx build --push --platform linux/amd64 -t $(IMG) .\n",
			asks: []string{"images[app].tags: {{.Version}}"},
			want: []string{"  - name: app"},
		},
		"a tag of another image's repository": {
			files: steps + pushesApp + "      - run: docker buildx build --push --platform linux/amd64 -t $(IMG)-slim -f slim/Dockerfile slim\n" +
				"-- slim/Dockerfile --\nFROM scratch\nCOPY Dockerfile /\n-- deploy/app.yaml --\napiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec: {containers: [{name: app,\n  image: ghcr.io/example/app:v1.2.3-slim}, {name: redis,\n  image: docker.io/library/redis:v7.0.0-slim}]}\n",
			asks: []string{
				"images[slim].repository: ghcr.io/example/app", "images[slim].tags: {{.Version}}-slim|{{.Version}}",
				"release: deploy|none",
			},
			want: []string{"    repository: example/app  # deploy/app.yaml:5"},
		},
		"a package for an image": {
			files: steps + pushesApp + "-- Dockerfile --\nFROM alpine\nARG TARGETPLATFORM\nCOPY $TARGETPLATFORM/app*.apk /tmp/\n",
			want:  []string{"-app*.apk", "-outputs"},
		},
		"a tag of CircleCI": {
			files: "-- .circleci/config.yml --\njobs:\n  release:\n    steps:\n      - run:\n          command: |\n            true\n" +
				"            docker buildx build --push --platform linux/amd64 -t example/app:ci .\n            regctl image copy example/app:ci example/app:<< pipeline.git.tag >>\n" +
				"-- Dockerfile --\nFROM scratch\nCOPY app /\n-- cmd/app/main.go --\npackage main\n\nvar version = \"\"\n\nfunc main() {}\n",
			want: []string{"  - name: app", "-tags:"},
		},
		"the base of HostProcess containers": {
			files: steps + "      - run: docker buildx build --push --platform windows/amd64 -t ghcr.io/example/app:$GITHUB_REF_NAME .\n" +
				"-- Dockerfile --\nARG BASE=\"" + hostProcess + "\"\nFROM $BASE\nCOPY go.mod /\n",
			asks: []string{"platforms[windows]: windows/amd64:ltsc2019,windows/amd64:ltsc2022,windows/amd64:ltsc2025"},
			want: []string{"  - {name: hostprocess, microsoft: hostprocess}"},
		},
	})
}

// TestRunsScripts: what reads a script, or is about it, does not run it.
func TestRunsScripts(t *testing.T) {
	d := reader(t, "-- hack/release.sh --\ntrue\n")
	for text, want := range map[string]bool{
		"./hack/release.sh":                         true,
		"cd hack && ./release.sh":                   true,
		"cat VERSION; ./hack/release.sh":            true,
		"- name: Run ./hack/release.sh\n  run: x":   false,
		"# as ./hack/release.sh":                    false,
		"V=$(cat hack/release.sh | grep V | sed x)": false,
		"grep V ./hack/release.sh | head -1":        false,
		"shellcheck ./hack/release.sh":              false,
	} {
		if got := len(d.runsScripts(text)) == 1; got != want {
			t.Errorf("%q runs it: %v", text, got)
		}
	}
}

// TestNamesDirectory: a word that is a directory's name, too, does not name it.
func TestNamesDirectory(t *testing.T) {
	for line, want := range map[string]bool{
		"git config user.name x":          false,
		"cat config.yaml":                 false,
		"kubectl apply -f config":         true,
		"kubectl apply -f ./config":       true,
		"kubectl apply -k 'config'":       true,
		"kustomize build config | ko":     true,
		"cp -r config/ x":                 true,
		"see the config":                  false,
		"ko resolve --filename=config -t": true,
	} {
		if got := namesPath(line, "config"); got != want {
			t.Errorf("%q names the directory: %v", line, got)
		}
	}
}

// TestOfRelease: each image has what is built for it in a release, and no more.
func TestOfRelease(t *testing.T) {
	push := func(condition, platforms, tags string) string {
		if condition != "" {
			condition = "        if: " + condition + "\n"
		}
		return "      - uses: docker/build-push-action@v6\n" + condition +
			"        with: {context: ., push: true, platforms: \"" + platforms + "\", tags: \"" + tags + "\"}\n"
	}
	const of, branches = "ghcr.io/example/app:${{ github.ref_name }}", "images built for branches, pull requests or a schedule only"
	only := []string{"platforms: [linux/amd64]  # .github/workflows/release.yml:5", "-s390x", "-quay.io", "-app:main", "-floatingTags"}
	check(t, map[string]factCase{
		"a step for a branch": {
			files: steps + push("", "linux/amd64", of) + push("github.ref == 'refs/heads/main'", "linux/amd64,linux/s390x", "quay.io/example/app:main"),
			want:  only, left: []string{branches},
		},
		"a step for pull requests": {
			files: steps + push("", "linux/amd64", of) + push("github.event_name == 'pull_request'", "linux/s390x", "quay.io/example/app:pr"),
			want:  only, left: []string{branches},
		},
		"a step by a clock": {
			files: steps + push("", "linux/amd64", of) + push("github.event_name == 'schedule'", "linux/s390x", "ghcr.io/example/app:nightly"),
			want:  only, left: []string{branches},
		},
		"a workflow by a clock": {
			files: steps + push("", "linux/amd64", of) + "\n-- .github/workflows/nightly.yml --\non: {schedule: [{cron: x}]}\njobs:\n  image:\n    steps:\n" +
				push("", "linux/s390x", "ghcr.io/example/app:nightly"),
			want: only, left: []string{branches},
		},
		"a tag by a clock": {
			files: steps + "      - uses: docker/metadata-action@v5\n        with: {images: ghcr.io/example/app, tags: \"type=ref,event=tag\\ntype=raw,value=nightly,enable=${{ github.event_name == 'schedule' }}\"}\n" +
				push("", "linux/amd64", ""),
			want: []string{"platforms: [linux/amd64]  # .github/workflows/release.yml:7", "-nightly"},
		},
		"jobs of GitLab for branches": {
			files: "-- .gitlab-ci.yml --\nmain:\n  only: [main]\n  script: ['docker buildx build --push --platform linux/s390x -t quay.io/example/app:main .']\n" +
				"merge:\n  rules: [{if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH}, {when: never}]\n  script: ['docker buildx build --push --platform linux/s390x -t quay.io/example/app:nightly .']\n" +
				"tag:\n  rules: [{if: $CI_COMMIT_TAG}]\n  script: ['docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:$CI_COMMIT_TAG .']\n",
			want: []string{"platforms: [linux/amd64]  # .gitlab-ci.yml:9", "-s390x", "-quay.io"},
			left: []string{branches},
		},
		"a build that is tried before": {
			files: steps + "      - run: docker build --platform linux/s390x -t app:scan . && trivy image app:scan\n" + push("", "linux/amd64", of),
			want:  []string{"platforms: [linux/amd64]  # .github/workflows/release.yml:6", "-s390x", "-scan"},
		},
		"what a matrix leaves out and puts in": {
			files: "\n-- .github/workflows/release.yml --\non: {push: {tags: ['v*']}}\njobs:\n  image:\n    strategy: {matrix: {arch: [amd64, arm64, s390x], exclude: [{arch: s390x}], include: [{arch: amd64, name: app}, {arch: arm64, name: app}]}}\n    steps:\n" +
				"      - run: docker buildx build --push --platform linux/${{ matrix.arch }} -t ghcr.io/example/${{ matrix.name }}:$GITHUB_REF_NAME${{ matrix.suffix }} .\n",
			want: []string{"platforms: [linux/amd64, linux/arm64]  # .github/workflows/release.yml:6", "  - name: app", "-tags:"},
		},
		"stages for other platforms": {
			files: steps + "      - run: docker buildx build --push --platform linux/amd64 --target s -t ghcr.io/example/s:$GITHUB_REF_NAME .\n" +
				"      - run: docker buildx build --push --platform linux/amd64,linux/arm64 --target t -t ghcr.io/example/t:$GITHUB_REF_NAME .\n" +
				"-- Dockerfile --\nFROM scratch AS s\nCOPY bin/app /s\nFROM scratch AS t\nCOPY bin/app /t\n",
			want: []string{"platforms: [linux/amd64, linux/arm64]  # .github/workflows/release.yml:5", "    platforms: [linux/amd64]"},
		},
		"a build for the machine": {
			files: steps + "      - run: docker buildx build --push --platform linux/arm64 -t ghcr.io/example/app:$GITHUB_REF_NAME .\n" +
				"      - run: docker build --push -t ghcr.io/example/tool:$GITHUB_REF_NAME -f tool/Dockerfile tool\n-- tool/Dockerfile --\nFROM scratch\nCOPY Dockerfile /\n",
			want: []string{"platforms: [linux/amd64, linux/arm64]  # .github/workflows/release.yml:5", "    platforms: [linux/amd64]", "    platforms: [linux/arm64]"},
		},
		"other names of a build": {
			files: steps + "      - run: docker build --push --platform linux/amd64 -t local -t ghcr.io/example/app:$GITHUB_REF_NAME -t ghcr.io/example/app-ci:latest .\n",
			want:  []string{"-app-ci", "-latest", "-local"}, left: []string{"further names of images"},
		},
		"an expression that may be anything": {
			files: steps + "      - run: docker build --push --platform linux/amd64 -t ghcr.io/example/app:$GITHUB_REF_NAME -t ghcr.io/example/app:stable${{ inputs.flavor }} .\n",
			want:  []string{"-tags:"}, left: []string{"tags that are not known, or of no version"},
		},
		"further contexts": {
			files: steps + "      - run: docker build --push --platform linux/amd64 --build-context assets=./assets -t ghcr.io/example/app:$GITHUB_REF_NAME .\n",
			asks:  []string{"images[app].dockerfile contexts: "},
		},
		"the context of an action": {
			files: steps + "      - uses: docker/build-push-action@v6\n        with: {context: '{{defaultContext}}:tool', push: true, platforms: linux/amd64, tags: \"ghcr.io/example/tool:${{ github.ref_name }}\"}\n-- tool/Dockerfile --\nFROM scratch\nCOPY Dockerfile /\n",
			want:  []string{"      context: tool  # .github/workflows/release.yml:5"},
		},
		"an architecture by its other name": {
			files: steps + "      - run: docker build --push --platform linux/amd64 --build-arg ARCH=x86_64 -t ghcr.io/example/app:$GITHUB_REF_NAME .\n-- Dockerfile --\nFROM scratch\nARG ARCH\nCOPY bin/app-$ARCH /app\n",
			want:  []string{"        ARCH: x86_64  # .github/workflows/release.yml:5"},
		},
		"a platform by another flag": {
			files: steps + "      - run: buildah bud --arch arm64 -t ghcr.io/example/app:$GITHUB_REF_NAME . && buildah push ghcr.io/example/app:$GITHUB_REF_NAME\n",
			want:  []string{"platforms: [linux/arm64]  # .github/workflows/release.yml:5"},
		},
		"Windows for a Dockerfile that does not tell": {
			files: steps + push("", "linux/amd64,windows/amd64", of), left: []string{"Windows, for which a Dockerfile has no base that tells"},
			want: []string{"platforms: [linux/amd64]  # .github/workflows/release.yml:5"},
		},
		"a Dockerfile that is called so": {
			files: steps + "      - run: docker build --push --build-arg BASE=mcr.microsoft.com/windows/nanoserver:ltsc2022 -f Dockerfile.win -t ghcr.io/example/app:$GITHUB_REF_NAME .\n-- Dockerfile.win --\nARG BASE\nFROM $BASE\nCOPY go.mod /\n" +
				"-- Dockerfile --\nFROM {{x}}\n",
			want: []string{"      files: {windows: Dockerfile.win}  # .github/workflows/release.yml:5"},
		},
		"manifests of a version": {
			files: steps + push("", "linux/amd64", of) + "-- README.md --\nkubectl apply -f deploy/v1.10.0/app.yaml\n-- deploy/v1.9.0/app.yaml --\napiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec: {containers: [{name: app, image: x}]}\n" +
				"-- deploy/v1.10.0/app.yaml --\napiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec: {containers: [{name: app, image: x}]}\n",
			want: []string{"    - {path: deploy/v1.10.0/app.yaml}  # README.md:1", "-v1.9.0"},
		},
		"a Compose file that cannot be read": {
			files: steps + push("", "linux/amd64", of) + "-- compose.yaml --\nservices: [\n",
			left:  []string{"YAML that cannot be read"},
		},
		"a manifest that cannot be read": {
			files: steps + push("", "linux/amd64", of) + "-- deploy/app.yaml --\nkind: [\n",
			left:  []string{"YAML that cannot be read"},
		},
		"a name that a pipeline's variable has": {
			files: "-- .gitlab-ci.yml --\nx: {script: ['docker buildx build --push --platform linux/amd64 -t $IMAGE:v1.2.3 .']}\n-- compose.yaml --\nservices: {web: {image: ghcr.io/example/web, build: {context: web}}}\n" +
				"-- web/Dockerfile --\nFROM scratch\nCOPY Dockerfile /\n",
			asks: []string{"destinations: "},
		},
	})
}

// TestProgramFlags: flags of one program that another one has otherwise are asked for.
func TestProgramFlags(t *testing.T) {
	const programs = "-- .github/workflows/release.yml --\non: {push: {tags: ['v*']}}\njobs: {x: {steps: [{uses: goreleaser/goreleaser-action@v6}]}}\n" +
		"-- cmd/a/main.go --\npackage main\n\nvar v = \"\"\n\nfunc main() {}\n-- cmd/b/main.go --\npackage main\n\nvar v = \"\"\n\nfunc main() {}\n-- .goreleaser.yaml --\nbuilds:\n"
	others := []string{"destinations: ", "images: Dockerfile|none", "platforms[linux]: linux/amd64,linux/arm64|linux/amd64", "tagPrefix: v1.2.3|1.2.3"}
	check(t, map[string]factCase{
		"another value": {
			files: programs + "- {main: ./cmd/a, binary: a, goos: [linux], goarch: [amd64], ldflags: ['-X main.v={{.Tag}}']}\n- {main: ./cmd/b, binary: b, goos: [linux], goarch: [amd64], ldflags: ['-X main.v={{.Version}}']}\n",
			asks:  append([]string{"flags: -X main.v=v1.2.3|-X main.v=1.2.3|none"}, others...),
		},
		"the same": {
			files: programs + "- {main: ./cmd/a, binary: a, goos: [linux], goarch: [amd64], ldflags: ['-X main.v={{.Tag}}']}\n- {main: ./cmd/b, binary: b, goos: [linux], goarch: [amd64], ldflags: ['-X main.v={{.Tag}}']}\n",
			asks:  others,
		},
		"another build tag": {
			files: programs + "- {main: ./cmd/a, binary: a, goos: [linux], goarch: [amd64], tags: [x]}\n- {main: ./cmd/b, binary: b, goos: [linux], goarch: [amd64]}\n",
			asks:  append([]string{"flags: x|none"}, others...),
		},
	})
}
