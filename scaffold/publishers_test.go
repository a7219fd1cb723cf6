package scaffold

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// publishedBy is what releases are made with: files, jobs of workflows by their lines, and targets
// of make.
func publishedBy(d *Draft) (list []string) {
	p := d.publishers
	list = append(sortedKeys(p.files), sortedKeys(p.lines)...)
	for n, f := range list {
		for _, l := range p.lines[f] {
			list[n] += fmt.Sprintf(":%d", l[0])
		}
	}
	for _, t := range sortedKeys(p.targets) {
		list = append(list, "make "+t)
	}
	return list
}

// TestFindPublishers: jobs that push, pipelines, and what these run are what releases are made
// with.
func TestFindPublishers(t *testing.T) {
	const job = "-- .github/workflows/x.yml --\non: {push: {tags: [v1]}}\njobs:\n  x:\n    steps:\n    - run: "
	for name, tc := range map[string]struct {
		files string
		want  []string
	}{
		"nothing":          {"-- README.md --\ndocker push\n", nil},
		"a job that tests": {job + "go build\n", nil},
		"a job":            {job + "docker push x\n", []string{".github/workflows/x.yml:4"}},
		"the last line":    {"-- .github/workflows/x.yml --\non: [push]\njobs:\n  x:\n    steps:\n    - run: |\n        go build\n        docker push x", []string{".github/workflows/x.yml:4"}},
		"files":            {"-- .github/workflows/x.yml --\non: [push]\njobs:\n  x:\n    steps:\n    - uses: softprops/action-gh-release@v2\n", []string{".github/workflows/x.yml:4"}},
		"an action": {
			"-- .github/workflows/x.yml --\non: [push]\njobs:\n  x:\n    steps:\n    - uses: docker/build-push-action@v6\n      with:\n        push: true\n",
			[]string{".github/workflows/x.yml:4"},
		},
		"the job after it": {job + "docker push x\n    - run: docker push y\n  y:\n    steps:\n    - run: go test\n  z:\n    steps: [{run: docker push z}]\n", []string{".github/workflows/x.yml:4:11"}},
		"an action that does not push": {
			"-- .github/workflows/x.yml --\non: [push]\njobs:\n  x:\n    steps:\n    - uses: docker/build-push-action@v6\n      with: {push: false}\n", nil,
		},
		"of pull requests":    {strings.Replace(job, "{push: {tags: [v1]}}", "[pull_request, pull_request_target, merge_group]", 1) + "docker push x\n", nil},
		"of others too":       {strings.Replace(job, "{push: {tags: [v1]}}", "[pull_request, push]", 1) + "docker push x\n", []string{".github/workflows/x.yml:4"}},
		"a target":            {job + "make -C . all V=1\n-- hack/x.sh --\ndocker push\n-- Makefile --\nall:\n\thack/x.sh\n", []string{"hack/x.sh", ".github/workflows/x.yml:4", "make all"}},
		"a target that does":  {job + "make push-all\n-- Makefile --\npush-all: a b-x\nb-%: c\n\t./x.sh\na c d:\n\ty\n-- x.sh --\nz\n", []string{"x.sh", ".github/workflows/x.yml:4", "make a", "make b-%", "make c", "make push-all"}},
		"a script":            {job + "./hack/x.sh\n-- hack/x.sh --\n. hack/y.sh\n-- hack/y.sh --\ndocker push x\n-- hack/z.sh --\ndocker push\n", []string{"hack/x.sh", "hack/y.sh", ".github/workflows/x.yml:4"}},
		"scripts in a circle": {job + "./hack/x.sh\n-- hack/x.sh --\nhack/y.sh\n-- hack/y.sh --\nhack/x.sh\n", nil},
		"a pipeline":          {"-- cloudbuild.yaml --\nsteps: [{args: [build]}]\n-- sub/cloudbuild-x.yml --\nx: y\n-- test/cloudbuild.yaml --\nx: y\n", []string{"cloudbuild.yaml", "sub/cloudbuild-x.yml"}},
		"of many systems": {
			"-- .tekton/a.yaml --\na: b\n-- tekton/b.yaml --\na: b\n-- .gitlab-ci.yml --\na: b\n-- Jenkinsfile --\nx\n-- .circleci/config.yml --\na: b\n-- .prow/x --\na\n-- .drone.yml --\na: b\n",
			[]string{".circleci/config.yml", ".drone.yml", ".gitlab-ci.yml", ".prow/x", ".tekton/a.yaml", "Jenkinsfile", "tekton/b.yaml"},
		},
		"make of a pipeline":      {"-- cloudbuild.yaml --\nsteps: [{entrypoint: make, args: [-j2, x, A=b]}]\n-- Makefile --\nx:\n\ty\nz:\n\ty\n", []string{"cloudbuild.yaml", "make x"}},
		"bake files":              {"-- docker-bake.hcl --\n\n-- cloudbuild.yaml --\nx: docker buildx bake --push\n", []string{"cloudbuild.yaml", "docker-bake.hcl"}},
		"bake files of nobody":    {"-- docker-bake.hcl --\n\n-- cloudbuild.yaml --\nx: docker build\n", []string{"cloudbuild.yaml"}},
		"make alone":              {"-- Makefile --\npush: image\n\tdocker push x\nimage:\n\tdocker build .\nrelease:\n\techo\nother:\n\tdocker push\n", []string{"make image", "make push"}},
		"a comment":               {job + "go test # docker push\n    # and docker push\n", nil},
		"a trial of goreleaser":   {job + "go test\n    - uses: goreleaser/goreleaser-action@v6\n      with:\n        args: release --snapshot --clean\n    - uses: goreleaser/goreleaser-action@v6\n      with: {args: check}\n", nil},
		"one after another step":  {job + "go test\n    - uses: goreleaser/goreleaser-action@v6\n      with: {args: release --clean}\n", []string{".github/workflows/x.yml:4"}},
		"promu's orb":             {"-- .circleci/config.yml --\nx: prometheus/publish_release\n-- Makefile --\ncommon-docker-publish: docker\n\tdocker push x\ndocker:\n\tdocker build .\nother:\n\tdocker push\n", []string{".circleci/config.yml", "make common-docker-publish", "make docker"}},
		"scripts of Jenkins":      {"-- .ci/release.groovy --\nsh 'make image A=b'\n-- src/x.groovy --\nmake image\n-- Makefile --\nimage:\n\tko build\n", []string{".ci/release.groovy", "make image"}},
		"a pipeline elsewhere":    {"-- ops/cloudbuild.yaml --\nsteps: [{args: [build]}]\n", []string{"ops/cloudbuild.yaml"}},
		"make besides a pipeline": {"-- Jenkinsfile --\nx\n-- Makefile --\npush:\n\tdocker push x\n", []string{"Jenkinsfile"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, tc.files)
			if diff := cmp.Diff(tc.want, publishedBy(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPushing: a text that sends images, charts or releases anywhere, and one that does not.
func TestPushing(t *testing.T) {
	for _, text := range []string{
		"push: true", "push: \"true\"", "push: ${{ github.event_name }}", "docker buildx build --push .", "--output type=registry",
		"type=image,push=true", "docker push a", "podman image push", "helm push x", "crane cp a b", "skopeo copy a b", "ko build ./x",
		"uses: goreleaser/goreleaser-action", "goreleaser release --clean", "$(GORELEASER) --clean", "curl -sL https://git.io/goreleaser | bash", "promu release",
		"uses: prometheus/promci-artifacts@v1", "prometheus/publish_main", "uses: docker/bake-action@v6", "docker compose push",
		"docker-compose push", "make -C x docker-push", "make release", "mage publish", "oras push",
	} {
		if !pushing.MatchString(text) {
			t.Errorf("%q does not push", text)
		}
	}
	for _, text := range []string{
		"", "push: false", "on: {push: {branches: [main]}}", "docker build .", "git push", "make build", "helm package x", "ko version", "type=image", "--pushed",
	} {
		if pushing.MatchString(text) {
			t.Errorf("%q pushes", text)
		}
	}
}

// TestMerged: a workflow for pull requests alone publishes nothing.
func TestMerged(t *testing.T) {
	for text, want := range map[string]bool{
		"on: push": true, "on: [pull_request, push]": true, "on: {release: }": true, "on: {workflow_dispatch: {}, pull_request: }": true, "on: schedule": true,
		"on: pull_request": false, "on: [pull_request_target]": false, "on: {pull_request: {branches: [x]}, merge_group: }": false, "name: x": false,
	} {
		if got := merged(node(t, text)); got != want {
			t.Errorf("%q runs for more than pull requests: %v", text, got)
		}
	}
}

// TestRanks: a whole file that publishes does in each of its lines, a workflow in those of its
// jobs.
func TestRanks(t *testing.T) {
	p := &publishers{
		files: map[string]bool{"x.sh": true}, targets: map[string]bool{"push": true},
		lines: map[string][][2]int{"w.yml": {{5, 7}, {10, 10}}},
	}
	for n, want := range map[int]rank{0: publishes, 1: publishes, 4: publishes, 5: publishes, 7: publishes, 8: develops, 9: develops, 10: publishes, 11: develops} {
		if got := p.line("w.yml", n); got != want {
			t.Errorf("line %d has the rank %d", n, got)
		}
	}
	if p.line("x.sh", 99) != publishes || p.line("y.sh", 1) != develops || p.of("w.yml") != publishes || p.of("y.sh") != develops {
		t.Error("a file has another rank")
	}
	if p.target("push") != publishes || p.target("image") != develops || p.target("") != develops {
		t.Error("a target has another rank")
	}
}

// TestCalls: what something that publishes says is found, and variables that it gives make count.
func TestCalls(t *testing.T) {
	d := reader(t, "-- cloudbuild.yaml --\nx: make push A=b B=$C D= tool\n-- Makefile --\nA = 1\nB = 2\nD = 3\n")
	d.publishers.recipes.WriteString("of make")
	if !d.publishers.calls("of make") || !d.publishers.calls("tool") || d.publishers.calls("other") || !d.publishers.found() {
		t.Error("it is not found what is called")
	}
	if want := map[string]string{"A": "b", "B": "2", "D": "3"}; !maps.Equal(d.make.Values, want) {
		t.Errorf("variables are %v, not %v", d.make.Values, want)
	}
	if got := reader(t, "").publishers; got.found() || got.calls("x") {
		t.Error("it finds what is not there")
	}
	if got := d.runsScripts("./push.sh .github/actions/x"); len(got) > 0 {
		t.Errorf("it runs %q", got)
	}
	d.publishers.scripts = []string{"hack/push.sh", ".github/actions/x/action.yml", ".github/push.sh", "build/ship"}
	for text, want := range map[string][]string{
		"hack/push.sh":              {"hack/push.sh"},
		"cd hack; ./push.sh":        {"hack/push.sh"},
		"push.sh":                   nil,
		"uses: ./.github/actions/x": {".github/actions/x/action.yml"},
		"bash .github/push.sh":      {"hack/push.sh", ".github/push.sh"},
		"${DIR}/pull.sh":            nil,
	} {
		if got := d.runsScripts(text); !slices.Equal(got, want) {
			t.Errorf("%q runs %q, not %q", text, got, want)
		}
	}
}
