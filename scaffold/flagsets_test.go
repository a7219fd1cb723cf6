package scaffold

import "testing"

// compiledBy is a repository whose image has a program that make compiles, and that is an archive.
const compiledBy = `
-- cmd/app/main.go --
package main

var version, Version, commit string

func main() {}
-- .goreleaser.yaml --
builds: [{main: ./cmd/app, binary: app, goos: [linux], goarch: [amd64], flags: ["-tags=netgo"], ldflags: ["-s -w -X main.version={{.Version}}"]}]
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs:
  release:
    steps:
      - uses: goreleaser/goreleaser-action@v6
      - run: docker buildx build --push --platform linux/amd64 -t ghcr.io/example/app:${GITHUB_REF_NAME#v} .
`

// TestFlags: programs are compiled with what one place that publishes gives them; places that differ
// are a question.
func TestFlags(t *testing.T) {
	check(t, map[string]factCase{
		"of GoReleaser": {
			files: compiledBy,
			want:  []string{`      - "-X main.version={{.Version}}"  # .goreleaser.yaml:1`, "      - netgo  # .goreleaser.yaml:1", "      - -s -w  # .goreleaser.yaml:1"},
		},
		"of developers, too": {
			files: compiledBy + "-- Makefile --\nLDFLAGS = -X main.commit=$(shell git rev-parse HEAD)\nbuild:\n\tgo build -ldflags \"$(LDFLAGS)\" ./cmd/app\n",
			want:  []string{`-main.commit`},
		},
		"two that publish": {
			files: compiledBy + "      - run: go build -ldflags \"-X main.Version=$GITHUB_REF_NAME\" ./cmd/app\n",
			asks:  []string{"flags: -X main.version=1.2.3; netgo|-X main.Version=v1.2.3|none"},
		},
		"what is not the product": {
			files: compiledBy + "      - run: go build -tags e2e ./test/e2e && go build -buildmode=c-shared -tags vfs ./cmd/app\n-- test/e2e/main.go --\npackage main\n",
			want:  []string{"-e2e", "-vfs"},
		},
		"tags that a condition chooses": {
			files: compiledBy + "      - run: make build\n-- Makefile --\nTAGS = a\nifeq ($(X),y)\nTAGS += b\nendif\nbuild:\n\tgo build -tags '$(TAGS)' ./cmd/app\n",
			want:  []string{"      - netgo  # .goreleaser.yaml:1", "-      - a"},
			asks:  []string{"flags: -X main.version=1.2.3; netgo|$(TAGS+=); a|none"},
		},
	})
}

// TestForm: where images have no v, a version whose form nothing tells is a question.
func TestForm(t *testing.T) {
	for name, tc := range map[string]struct {
		prefix, version, text string
		asks                  bool
		want                  string
	}{
		"as images":       {"", "git", "-X main.version=" + asNamed, false, "-X main.version={{.Version}}"},
		"without git":     {"v", "v1.0.0", "-X main.version=" + asNamed, false, "-X main.version={{.Version}}"},
		"not known":       {"v", "git", "-X main.version=" + asNamed, true, "-X main.version=v{{.Version}}"},
		"known to have a": {"v", "git", "-X main.version=" + asTag, false, "-X main.version=v{{.Version}}"},
		"known to lack a": {"v", "git", "-X main.version=" + asBare, false, "-X main.version={{.Version}}"},
	} {
		d := reader(t, "")
		d.tagPrefix, d.version, d.chosen = tc.prefix, tc.version, []compilerFlag{{key: "ldflags", text: tc.text}}
		asked := false
		d.options.Ask = func(q Question) (string, bool, error) {
			asked = q.Key == "versions"
			return withV, true, nil
		}
		if changed := d.decideForm(); changed != tc.asks || asked != tc.asks {
			t.Errorf("%s: it changes: %v, and asks: %v", name, changed, asked)
		}
		if got := d.versions(tc.text); got != tc.want {
			t.Errorf("%s: it is %s, not %s", name, got, tc.want)
		}
	}
}

// TestTagged: whether tags of git have a v is known from those that are versions.
func TestTagged(t *testing.T) {
	for _, tc := range []struct {
		tags []string
		want bool
	}{
		{nil, true}, {[]string{"x", "release-1"}, true}, {[]string{"1.2.3", "x"}, false}, {[]string{"0.1.0", "v0.2.0"}, true}, {[]string{"v1.0.0-rc.1"}, true},
	} {
		if got := tagged(tc.tags); got != tc.want {
			t.Errorf("%q begin with v: %v", tc.tags, got)
		}
	}
	d := reader(t, "")
	d.version, d.vTags = "git", false
	d.images = []image{{name: "a"}, {name: "b", tags: []string{"{{.Version}}-x", "x-{{.Version}}"}}}
	d.findTags()
	if d.images[0].tags != nil {
		t.Errorf("tags that nobody gives are %q", d.images[0].tags)
	}
	d.tagForms = []claim{{withV, publishes, place{"x", 1}}}
	d.findTags()
	if a, b := listOf(d.images[0].tags), listOf(d.images[1].tags); a != "v{{.Version}}" || b != "v{{.Version}}-x,x-{{.Version}}" {
		t.Errorf("the tags are %s and %s", a, b)
	}
}
