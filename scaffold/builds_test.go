package scaffold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestBuilds reads what builds images today, in each of the files that say so.
func TestBuilds(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{
			"a command in a directory", "Makefile",
			"x:\n\tcd sub && docker build --build-arg A=b --target=run -t a/x:1 .; docker push a/x:1\n",
			[]string{"sub/Dockerfile in sub, target run, args {A: b}, names [a/x:1]"},
		},
		{
			"a pattern of make",
			"Makefile", "D=hack\n%:\n\t$(CTR) buildx build -f $(D)/$*file --target $* -t x/$* $(OUT)\n",
			[]string{"hack/Dockerfile in , target $*, args {}, names [x/$*]"},
		},
		{
			"a script with lines and quotes", "build.sh",
			"docker buildx build \\\n  --platform linux/amd64,linux/arm64 \\\n  --build-arg \"V=$(git " +
				"describe | tr a b)\" . # a comment\n",
			[]string{"Dockerfile in ., target , args {V: $(git describe | tr a b)}, names []"},
		},
		{
			"a matrix of a workflow", ".github/workflows/release.yml",
			"env: {R: ghcr.io/a}\njobs: {b: {strategy: {matrix: {t: [one, two]}}, steps: [{uses: " +
				"docker/build-push-action@v6, with: {target: '${{ matrix.t }}', tags: " +
				"'${{ env.R }}/${{ matrix.t }}:${{ github.ref }}'}}]}}\n",
			[]string{
				"Dockerfile in ., target one, args {}, names [ghcr.io/a/one:$(workflow)]",
				"Dockerfile in ., target two, args {}, names [ghcr.io/a/two:$(workflow)]",
			},
		},
		{
			"a bake file in JSON", "docker-bake.json",
			`{"target": {"a": {"context": "sub", "args": {"A": "b"}, "tags": ["r/a:1"]}}}`,
			[]string{"sub/Dockerfile in sub, target , args {A: b}, names [r/a:1]"},
		},
		{"another program", "Makefile", "x:\n\tmydocker-build x && go build ./docker build\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := read(repository([]txtar.File{
				{Name: "Dockerfile", Data: []byte("FROM scratch\n")},
				{Name: "sub/Dockerfile", Data: []byte("FROM scratch\n")},
				{Name: "hack/Dockerfile", Data: []byte("FROM scratch\n")},
				{Name: tt.file, Data: []byte(tt.text)},
			}), "/r", false, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range d.dockerBuilds {
				got = append(got, fmt.Sprintf("%s in %s, target %s, args %s, names %s", b.file, b.context,
					b.target, strings.ReplaceAll(mapping(b.args), `"`, ""), b.names))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestTargets chooses the stages of a release.
func TestTargets(t *testing.T) {
	const file = "FROM golang AS build\nRUN go build\nFROM scratch AS agent\nCOPY --from=build " +
		"/a /\nFROM scratch AS server\nCOPY --from=build /s /\nFROM alpine AS server-dev\nFROM server AS coverage\n"
	for _, tt := range []struct {
		name, make string
		want       []string
	}{
		{"nothing names one", "", []string{"agent", "server"}},
		{"one is named", "x:\n\tdocker build --target server .\n", []string{"server"}},
		{"several, and one that is none", "x:\n\tdocker build --target server .\n\tdocker build " +
			"--target agent .\n\tdocker build --target coverage .\n", []string{"agent", "server"}},
		{"only one that is none", "x:\n\tdocker build --target coverage .\n", nil},
		{"a variable", "x-%:\n\tdocker build --target $* .\n", []string{"agent", "server"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := read(
				repository([]txtar.File{
					{Name: "Dockerfile", Data: []byte(file)},
					{Name: "go.mod", Data: []byte("module a.b/c\n")},
					{Name: "main.go", Data: []byte("package main\n")},
					{Name: "Makefile", Data: []byte(tt.make)},
				}), "/r", false, Options{})
			if err != nil {
				t.Fatal(err)
			}
			chosen, others := d.targets(readDockerfile("Dockerfile", []byte(file)))
			var got []string
			for _, s := range chosen {
				got = append(got, s.Name)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if slices.ContainsFunc(others, func(s *stage) bool { return slices.Contains(chosen, s) }) {
				t.Error("a stage is released and not released")
			}
		})
	}
}
