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
			left: []string{"further names of images", "tags that a release does not move"},
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
