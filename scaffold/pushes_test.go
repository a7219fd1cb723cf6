package scaffold

import (
	"slices"
	"strings"
	"testing"
)

// TestPushes: a command that pushes and builds nothing names what it pushes.
func TestPushes(t *testing.T) {
	for line, want := range map[string]string{
		"docker push a/b:1":                  "a/b:1",
		"podman push --quiet a/b:1":          "a/b:1",
		"docker manifest push --purge a/b:1": "a/b:1",
		"docker buildx imagetools create -t a/b:1 --tag=a/b:2 --tag a/b:3 a/b@sha256:x": "a/b:1 a/b:2 a/b:3",
		"crane copy a/b c/d:1":                    "c/d:1",
		"skopeo copy docker://a/b docker://c/d:1": "c/d:1",
		"docker pull a/b":                         "",
		"docker build --push -t a/b .":            "",
		"git push origin main":                    "",
		"push a/b":                                "",
		"docker push":                             "",
		"cp a b":                                  "",
		"docker buildx imagetools inspect a/b:1":  "",
	} {
		if got := strings.Join(pushes(strings.Fields(line)), " "); got != want {
			t.Errorf("%q pushes %q, not %q", line, got, want)
		}
	}
}

// TestPushedTags: an image has the tags that are pushed beside those of its builds, as far as they
// are those of a release.
func TestPushedTags(t *testing.T) {
	d := reader(t, `-- Dockerfile --
FROM x
-- .github/workflows/x.yml --
on: {push: {tags: ["v*"], branches: [main]}}
jobs:
  x:
    steps:
    - run: |
        docker buildx build --push -t ghcr.io/example/app:$GITHUB_REF_NAME-amd64 .
        docker buildx imagetools create -t ghcr.io/example/app:$GITHUB_REF_NAME ghcr.io/example/app:latest-amd64
        docker buildx imagetools create -t ghcr.io/example/app:latest x
        docker push ghcr.io/example/other:edge
    - if: github.ref == 'refs/heads/main'
      run: docker push ghcr.io/example/app:main
-- .github/workflows/y.yml --
on: {push: {branches: [main]}}
jobs: {y: {steps: [{run: docker push ghcr.io/example/app:nightly}]}}
`)
	d.findBuilds()
	d.images = []image{{name: "app", floats: []string{"1"}}, {name: "none"}}
	d.pushedTags()
	if i := d.images[0]; i.tags != nil || !slices.Equal(i.floats, []string{"1", "latest"}) {
		t.Errorf("the tags are %q, %q", i.tags, i.floats)
	}
	if i := d.images[1]; i.tags != nil || i.floats != nil {
		t.Errorf("another image has the tags %q, %q", i.tags, i.floats)
	}
}

// TestWrites: what a job writes into the source before it builds is a question.
func TestWrites(t *testing.T) {
	d := reader(t, `-- VERSION --
-- README.md --
-- docs/x --
-- .github/workflows/x.yml --
on: {push: {tags: ["v*"]}}
jobs:
  x:
    steps:
    - run: |
        echo "$GITHUB_REF_NAME" > VERSION
        echo x > README.md
        echo x >> docs/x
        echo x > dist/none
        ls 2> docs/x
        echo "x=y" > "$GITHUB_OUTPUT"
    - run: docker push ghcr.io/example/app
  test:
    steps:
    - run: echo x > docs/x
`)
	var got []string
	for _, q := range d.Questions {
		at, _, _ := strings.Cut(q.What, " ")
		got = append(got, q.Key+" "+at)
	}
	if want := []string{"sources VERSION .github/workflows/x.yml:6"}; !slices.Equal(got, want) {
		t.Errorf("it asks %q, not %q", got, want)
	}
}

// TestOfTests: a workflow that is called like one of tests publishes nothing, unless it is for tags.
func TestOfTests(t *testing.T) {
	for name, want := range map[string]bool{"e2e-fault.yml": true, "test.yml": true, "ci.yml": false, "latest.yml": false, "image.yml": false} {
		if got := ofTests(name, node(t, "on: {push: {branches: [main]}}")); got != want {
			t.Errorf("%s is of tests: %v", name, got)
		}
		if ofTests(name, node(t, "on: {push: {tags: [v1]}}")) || ofTests(name, node(t, "on: {release: {types: [published]}}")) {
			t.Errorf("%s for tags is of tests", name)
		}
	}
}
