package scaffold

import (
	"fmt"
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
			[]string{"hack/Dockerfile in , target Docker, args {}, names [x/Docker]"},
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
				"Dockerfile in ., target one, args {}, names [ghcr.io/a/one:refs/tags/{{.Tag}}]",
				"Dockerfile in ., target two, args {}, names [ghcr.io/a/two:refs/tags/{{.Tag}}]",
			},
		},
		{
			"a bake file in JSON", "docker-bake.json",
			`{"target": {"a": {"context": "sub", "args": {"A": "b"}, "tags": ["r/a:1"]}}}`,
			[]string{"sub/Dockerfile in sub, target , args {A: b}, names [r/a:1]"},
		},
		{
			"a pipe, and a variable of the script", "build.sh", "#!/bin/sh\nR=ghcr.io/example\nfor a in x y; do\n" +
				"  (cd sub && cat Dockerfile | docker build -t \"$R/app:$a\" --build-arg A=$a -f - .)\ndone\n",
			[]string{
				"sub/Dockerfile in sub, target , args {A: x}, names [ghcr.io/example/app:x]",
				"sub/Dockerfile in sub, target , args {A: y}, names [ghcr.io/example/app:y]",
			},
		},
		{
			"a bake file whose targets get more by a call", "docker-bake.hcl",
			"target \"a\" {\n  tags = [\"x\"]\n  args = {A = 1}\n}\ntarget \"b\" { inherits = [\"c\"] }\ntarget \"c\" { inherits = [\"docker-metadata-action\"] }\n" +
				"-- build.sh --\ndocker buildx bake --set a.tags=r.io/a:1,r.io/a:2 --set '*.args.B=2' --set=b.tags+=y --set b.context=sub --set a.target=t --push\n",
			[]string{
				"Dockerfile in ., target t, args {A: 1, B: 2}, names [r.io/a:1 r.io/a:2]",
				"sub/Dockerfile in sub, target , args {B: 2}, names [y]",
				"Dockerfile in ., target , args {B: 2}, names []",
			},
		},
		{
			"names of docker/metadata-action for a bake file", "docker-bake.hcl",
			"target \"docker-metadata-action\" {}\ntarget \"b\" { inherits = [\"docker-metadata-action\"] }\n-- .github/workflows/x.yml --\non: [push]\njobs:\n  x:\n    steps:\n" +
				"    - uses: docker/metadata-action@v5\n      with: {images: r.io/a, tags: 'type=raw,value=x'}\n    - uses: docker/bake-action@v6\n      with: {set: '*.args.A=b'}\n",
			[]string{
				"Dockerfile in ., target , args {A: b}, names []",
				"Dockerfile in ., target , args {A: b}, names [r.io/a:x]",
			},
		},
		{
			"substitutions of Cloud Build", "ops/cloudbuild.yaml",
			"steps:\n- name: quay.io/buildah/stable\n  entrypoint: bash\n  args: [-c, 'buildah build --tag $_HOST/a:$SHORT_SHA .']\nsubstitutions: {_HOST: r.io}\n",
			[]string{"Dockerfile in ., target , args {}, names [r.io/a:$SHORT_SHA]"},
		},
		{"another program", "Makefile", "x:\n\tmydocker-build x && go build ./docker build\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := read(repository(append([]txtar.File{
				{Name: "Dockerfile", Data: []byte("FROM scratch\n")},
				{Name: "sub/Dockerfile", Data: []byte("FROM scratch\n")},
				{Name: "hack/Dockerfile", Data: []byte("FROM scratch\n")},
			}, txtar.Parse([]byte("-- "+tt.file+" --\n"+tt.text)).Files...)), "/r", false, Options{})
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
		{"nothing names one", "", []string{"server"}},
		{"one is named", "x:\n\tdocker build --target server .\n", []string{"server"}},
		{"several, and one that is none", "x:\n\tdocker build --target server .\n\tdocker build " +
			"--target agent .\n\tdocker build --target coverage .\n", []string{"agent", "server"}},
		{"only one that is none", "x:\n\tdocker build --target coverage .\n", []string{"coverage"}},
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
			chosen := d.targets(readDockerfile("Dockerfile", []byte(file)))
			var got []string
			for _, s := range chosen {
				got = append(got, s.Name)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
