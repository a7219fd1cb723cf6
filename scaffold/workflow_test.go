package scaffold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExpression: what is known of an expression is put in, and what is not known stays apart.
func TestExpression(t *testing.T) {
	known := map[string]string{
		"matrix.a": "x", "env.B": "${{ matrix.a }}y", "env.C": "${{ env.B }}z", "env.SELF": "${{ env.SELF }}c",
		"github.ref_name": "T", "env.EMPTY": "",
	}
	for text, want := range map[string]string{
		"":                                     "",
		"plain":                                "plain",
		"${{ matrix.a }}":                      "x",
		"${{matrix.a}}-${{  matrix.a }}":       "x-x",
		"${{ env.B }}":                         "xy",
		"${{ env.C }}":                         "xyz",
		"a${{ env.EMPTY }}b":                   "ab",
		"${{ none }}":                          "$(workflow)",
		"a ${{ none }} ${{ matrix.a }}":        "a $(workflow) x",
		"${{ format('{0}', matrix.a) }}":       "$(workflow)",
		"${{ matrix.a || 'b' }}":               "$(workflow)",
		"${{ 'a}b' }}c":                        "$(workflow)c",
		"${{ a":                                "${{ a",
		"${ matrix.a } $matrix.a {{matrix.a}}": "${ matrix.a } $matrix.a {{matrix.a}}",
		"${{ github.ref_type == 'tag' && 'v1' || 'main' }}":                     "v1",
		"${{ github.ref_type == 'tag' && github.ref_name || 'main' }}":          "T",
		"${{ startsWith(github.ref, 'refs/tags/') && github.ref_name || 'e' }}": "T",
		"${{ github.ref_type == 'tag' && none || 'main' }}":                     "$(workflow)",
		"${{ github.ref_type != 'tag' && 'a' || 'b' }}":                         "$(workflow)",
		"${{ github.ref == 'refs/heads/main' && 'a' || 'b' }}":                  "$(workflow)",
	} {
		if got := expression(text, known); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	if got := expression("${{ env.SELF }}", known); !strings.HasPrefix(got, "$(workflow)c") || len(got) > 20 {
		t.Errorf("a circle is %q", got)
	}
	if n := len(expression(strings.Repeat("x", 2*maxExpanded), known)); n != maxExpanded {
		t.Errorf("a long text has %d bytes", n)
	}
}

// TestMatrix: all combinations of the lists, and what include adds.
func TestMatrix(t *testing.T) {
	for text, want := range map[string]string{
		"x":                                   "map[]",
		"{}":                                  "map[]",
		"{a: []}":                             "map[]",
		"{a: '${{ x }}'}":                     "map[]",
		"{a: [1, x]}":                         "map[matrix.a:1] map[matrix.a:x]",
		"{a: [1, 2], b: [x, y]}":              "map[matrix.a:1 matrix.b:x] map[matrix.a:1 matrix.b:y] map[matrix.a:2 matrix.b:x] map[matrix.a:2 matrix.b:y]",
		"{a: [{n: x, p: {q: r}}, y]}":         "map[matrix.a.n:x matrix.a.p.q:r] map[matrix.a:y]",
		"{include: [{a: 1}, {a: 2, b: 3}]}":   "map[matrix.a:1] map[matrix.a:2 matrix.b:3]",
		"{a: [1], include: [{a: 3, c: z}]}":   "map[matrix.a:1] map[matrix.a:3 matrix.c:z]",
		"{a: [1], include: [{a: 3}], b: [2]}": "map[matrix.a:1 matrix.b:2] map[matrix.a:3]",
	} {
		var got []string
		for _, one := range matrix(node(t, text)) {
			got = append(got, fmt.Sprint(one))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
	list := "[" + strings.Repeat("x, ", 2*maxMatrix) + "]"
	if n := len(matrix(node(t, "{a: "+list+", b: "+list+"}"))); n != maxMatrix {
		t.Errorf("a large matrix has %d jobs", n)
	}
	if n := len(matrix(node(t, "{include: ["+strings.Repeat("{a: b}, ", 2*maxMatrix)+"]}"))); n != maxMatrix {
		t.Errorf("a large list has %d jobs", n)
	}
	if got := matrix(nil); len(got) != 1 || len(got[0]) > 0 {
		t.Errorf("no matrix is %v", got)
	}
}

// TestOfBranches: a workflow runs for branches alone, where it names them and no tags.
func TestOfBranches(t *testing.T) {
	for text, want := range map[string]bool{
		"on: {push: {branches: [main]}}":                 true,
		"on: {push: {branches: [main]}, pull_request: }": true,
		"on: {push: {branches: [main], tags: [v1]}}":     false,
		"on: {push: {branches: [main]}, release: {}}":    false,
		"on: {push: {tags: [v1]}}":                       false,
		"on: {push: {paths: [x]}}":                       false,
		"on: push":                                       false,
		"on: {release: {}}":                              false,
		"name: x":                                        false,
	} {
		if got := ofBranches(node(t, text)); got != want {
			t.Errorf("%s is for branches alone: %v", text, got)
		}
	}
}

// TestForBranch: a job is of branches alone, where its condition is.
func TestForBranch(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "github.ref == 'refs/heads/main'": true, "startsWith(github.ref, 'refs/heads/release-')": true,
		"github.ref == 'refs/heads/main' || github.event_name == 'workflow_dispatch'": true,
		"github.event_name == 'workflow_dispatch'":                                    false,
		"github.ref != 'refs/heads/main'":                                             false,
		"github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')":    false,
		"github.ref == 'refs/heads/main' || github.event_name == 'release'":           false,
		"github.ref == 'refs/heads/main' || inputs.all":                               false,
		"${{ startsWith(github.ref, 'refs/tags/v') != true && x != 'y' }}":            true,
		"!startsWith(github.ref, 'refs/tags/')":                                       true,
		"github.ref_type != 'tag'":                                                    true,
		"github.ref_type != 'tag' || x":                                               false,
		"startsWith(github.ref, 'refs/tags/v') && ! contains(github.ref, '-rc')":      false,
		"github.event_name == 'pull_request'":                                         true,
		"github.event_name != 'pull_request'":                                         false,
		"!(github.event_name == 'pull_request')":                                      false,
	} {
		if got := forBranch(text); got != want {
			t.Errorf("%q is for branches alone: %v", text, got)
		}
	}
}

// builds are what a draft has of builds of images, as text.
func builds(d *Draft) (list []string) {
	for _, b := range d.dockerBuilds {
		line := fmt.Sprintf("%s: %s in %s, rank %d", b.at, b.file, b.context, b.rank)
		for _, f := range []struct {
			name  string
			value any
			empty bool
		}{
			{"target", b.target, b.target == ""},
			{"args", strings.ReplaceAll(mapping(b.args), `"`, ""), len(b.args) == 0},
			{"names", b.names, len(b.names) == 0},
			{"platforms", b.platforms, len(b.platforms) == 0},
			{"for", "one machine", !b.noPlatform},
			{"of", "branches", !b.ofBranches},
		} {
			if !f.empty {
				line += fmt.Sprintf(", %s %v", f.name, f.value)
			}
		}
		list = append(list, line)
	}
	return list
}

// TestWorkflow: steps that build have the names, platforms and arguments that the workflow gives.
func TestWorkflow(t *testing.T) {
	const head = "on: {push: {tags: [v1]}}\njobs:\n  x:\n    env: {E: e}\n    strategy: {matrix: {m: [one]}}\n    steps:\n"
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing": {"x: y\n", nil},
		"an action": {
			head + "    - uses: docker/build-push-action@v6\n      with: {push: true, context: sub, target: t, tags: \"r.io/a:1,s.io/a:${{ matrix.m }}\\nt.io/a\", platforms: 'linux/amd64, linux/arm64', build-args: \"A=${{ env.E }}\\n B=b=c\\nC\"}\n",
			[]string{"w.yml:7: sub/Dockerfile in sub, rank 4, target t, args {A: e, B: b=c}, names [r.io/a:1 s.io/a:one t.io/a], platforms [linux/amd64 linux/arm64]"},
		},
		"one that does not push": {
			head + "    - uses: docker/build-push-action@v6\n      with: {push: false, file: sub/Dockerfile}\n",
			[]string{"w.yml:7: sub/Dockerfile in ., rank 1, for one machine"},
		},
		"one that writes to a registry": {
			head + "    - uses: docker/build-push-action@v6\n      with: {outputs: 'type=image,push-by-digest=true,push=true'}\n",
			[]string{"w.yml:7: Dockerfile in ., rank 4, for one machine"},
		},
		"with metadata": {
			head + "    - uses: docker/metadata-action@v5\n      with: {images: \"r.io/a\\nr.io/b\", tags: 'type=raw,value=x'}\n    - uses: docker/build-push-action@v6\n      with: {push: true, tags: r.io/c}\n",
			[]string{"w.yml:9: Dockerfile in ., rank 4, names [r.io/c], for one machine"},
		},
		"with the metadata of a step": {
			head + "    - {uses: docker/metadata-action@v5, id: a, with: {images: r.io/a, tags: 'type=semver,pattern={{version}}'}}\n    - {uses: docker/metadata-action@v5, id: b, with: {images: r.io/a, tags: 'type=raw,value=x'}}\n" +
				"    - {uses: docker/build-push-action@v6, with: {push: true, tags: '${{ steps.b.outputs.tags }}'}}\n    - {uses: docker/build-push-action@v6, with: {push: true, tags: '${{ steps.a.outputs.tags }}', build-args: 'V=${{ steps.a.outputs.version }}'}}\n" +
				"    - {uses: docker/build-push-action@v6, with: {push: true, tags: '${{ fromJSON(steps.b.outputs.json).tags }}'}}\n",
			[]string{
				"w.yml:9: Dockerfile in ., rank 4, names [r.io/a:x], for one machine",
				"w.yml:10: Dockerfile in ., rank 4, args {V: '{{.Version}}'}, names [r.io/a:{{version}} r.io/a:latest], for one machine",
				"w.yml:11: Dockerfile in ., rank 4, names [r.io/a:{{version}} r.io/a:latest r.io/a:x $(workflow)], for one machine",
			},
		},
		"results of steps": {
			head + "    - id: v\n      run: |\n        if x; then\n        echo \"version=${GITHUB_REF_NAME#v}\" >> $GITHUB_OUTPUT\n        else\n        echo version=$(cat VERSION) >> \"$GITHUB_OUTPUT\"\n        fi\n        echo I=r.io/a >> $GITHUB_ENV\n        echo x=1 >> y\n" +
				"    - run: docker build --push -t $I:${{ steps.v.outputs.version }} --build-arg A=${{ steps.v.outputs.x }} .\n",
			[]string{"w.yml:16: Dockerfile in ., rank 4, args {A: $(workflow)}, names [r.io/a:${GITHUB_REF_NAME#v}], for one machine"},
		},
		"results of jobs": {
			"on: [push]\njobs:\n  a:\n    outputs: {tag: '${{ steps.t.outputs.tag }}'}\n    steps: [{id: t, run: 'echo tag=v1.2.3 >> $GITHUB_OUTPUT'}]\n  b:\n    steps: [{run: 'docker build --push -t a:${{ needs.a.outputs.tag }} .'}]\n",
			[]string{"w.yml:7: Dockerfile in ., rank 4, names [a:v1.2.3], for one machine"},
		},
		"machines": {
			"on: [push]\njobs:\n  a:\n    strategy: {matrix: {r: [ubuntu-24.04, ubuntu-24.04-arm, windows-2022]}}\n    runs-on: ${{ matrix.r }}\n    steps: [{run: docker build --push -t a .}]\n",
			[]string{"w.yml:6: Dockerfile in ., rank 4, names [a], platforms [linux/amd64]", "w.yml:6: Dockerfile in ., rank 4, names [a], platforms [linux/arm64]", "w.yml:6: Dockerfile in ., rank 4, names [a], for one machine"},
		},
		"an action of the repository": {
			head + "    - {uses: ./ship, id: s, with: {file: sub/Dockerfile}}\n    - run: docker push ${{ steps.s.outputs.name }}\n",
			[]string{"ship/action.yml:5: sub/Dockerfile in ., rank 4, names [r.io/one], for one machine"},
		},
		"files of a release": {
			head + "    - run: docker build -t a .\n    - uses: softprops/action-gh-release@v2\n",
			[]string{"w.yml:7: Dockerfile in ., rank 1, names [a], for one machine"},
		},
		"a step of a branch": {
			head + "    - run: docker build --push -t a:x .\n    - {run: docker build -t a:y ., if: github.ref == 'refs/heads/main'}\n",
			[]string{"w.yml:7: Dockerfile in ., rank 4, names [a:x], for one machine", "w.yml:8: Dockerfile in ., rank 4, names [a:y], for one machine, of branches"},
		},
		"of buildah": {
			head + "    - uses: redhat-actions/buildah-build@v2\n      with: {image: r.io/a, tags: v1 latest s.io/a:2, containerfiles: ./sub/Dockerfile, archs: 'amd64, arm64'}\n",
			[]string{"w.yml:7: sub/Dockerfile in ., rank 1, names [r.io/a:v1 r.io/a:latest s.io/a:2], platforms [linux/amd64 linux/arm64]"},
		},
		"a command": {
			head + "    - run: docker push x\n    - env: {F: f}\n      run: |\n        cd sub\n        docker build -t r.io/$E:$F --build-arg A=${{ matrix.m }} --build-arg G=$GITHUB_REF_NAME .\n",
			[]string{"w.yml:11: sub/Dockerfile in sub, rank 4, args {A: one, G: '{{.Tag}}'}, names [r.io/e:f], for one machine"},
		},
		"for branches": {
			"on: {push: {branches: [main]}}\njobs:\n  x:\n    steps:\n    - run: docker build --push -t a .\n",
			[]string{"w.yml:5: Dockerfile in ., rank 4, names [a], for one machine, of branches"},
		},
		"for a branch, by a job": {
			"on: [push]\njobs:\n  x:\n    if: github.ref == 'refs/heads/main'\n    steps:\n    - run: docker build --push -t a .\n",
			[]string{"w.yml:6: Dockerfile in ., rank 4, names [a], for one machine, of branches"},
		},
		"in directories": {
			"on: [push]\ndefaults: {run: {working-directory: none}}\njobs:\n  x:\n    defaults: {run: {working-directory: sub}}\n    steps:\n    - run: docker build --push -t a .\n    - {run: docker push x, working-directory: .}\n    - {run: docker build -t b ., working-directory: .}\n",
			[]string{"w.yml:7: sub/Dockerfile in sub, rank 4, names [a], for one machine", "w.yml:9: Dockerfile in ., rank 4, names [b], for one machine"},
		},
		"here": {
			"on: [push]\njobs:\n  x:\n    steps:\n    - run: docker build --push -t a -f $(pwd)/sub/Dockerfile $PWD\n    - run: docker build -t b ${{ github.workspace }}/sub\n",
			[]string{"w.yml:5: sub/Dockerfile in ., rank 4, names [a], for one machine", "w.yml:6: sub/Dockerfile in sub, rank 4, names [b], for one machine"},
		},
		"a commit": {
			"on: [push]\njobs:\n  x:\n    steps:\n    - run: docker build --push -t a:${{ github.sha }} --build-arg C=$GITHUB_SHA --build-arg S=${GITHUB_SHA::7} .\n",
			[]string{"w.yml:5: Dockerfile in ., rank 4, args {C: '{{.FullCommit}}', S: ${GITHUB_SHA::7}}, names [a:{{.FullCommit}}], for one machine"},
		},
		"for pull requests": {
			"on: pull_request\njobs:\n  x:\n    steps:\n    - run: docker build --push -t a .\n",
			[]string{"w.yml:5: Dockerfile in ., rank 1, names [a], for one machine"},
		},
		"another workflow": {
			"on: {push: {tags: [v1]}}\njobs:\n  x:\n    uses: ./.github/workflows/inner.yml\n    with: {name: '${{ github.repository }}', push: docker push}\n",
			[]string{"inner.yml:5: Dockerfile in ., rank 1, names [example/app:{{.Tag}}-d], for one machine"},
		},
		"of the repository": {
			head + "    - uses: docker/build-push-action@v6\n      with: {push: true, tags: 'ghcr.io/${{ github.repository_owner }}/${{ github.event.repository.name }}:${{ github.event.release.tag_name }}'}\n",
			[]string{"w.yml:7: Dockerfile in ., rank 4, names [ghcr.io/example/app:{{.Tag}}], for one machine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains+"-- Dockerfile --\nFROM x\n-- sub/Dockerfile --\nFROM x\n"+
				"-- .github/workflows/inner.yml --\non: {workflow_call: {inputs: {name: {}, tag: {default: d}}}}\njobs:\n  x:\n    steps:\n"+
				"    - run: docker build -t ${{ inputs.name }}:${{ github.ref_name }}-${{ inputs.tag }} .\n"+
				"-- ship/action.yml --\ninputs: {file: {}, name: {default: r.io/one}}\noutputs: {name: {value: '${{ inputs.name }}'}}\nruns:\n  steps:\n    - {uses: docker/build-push-action@v6, with: {push: true, file: '${{ inputs.file }}', tags: '${{ inputs.name }}'}}\n"+
				"-- .github/workflows/w.yml --\n"+tc.text)
			for _, doc := range d.yaml(".github/workflows/w.yml") {
				d.workflow(".github/workflows/w.yml", doc, nil)
			}
			var got []string
			for _, b := range builds(d) {
				got = append(got, strings.TrimPrefix(b, ".github/workflows/"))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompose: services that are built and have an image are builds.
func TestCompose(t *testing.T) {
	const pushes = "-- cloudbuild.yaml --\nx: docker compose push\n"
	for name, tc := range map[string]struct {
		file, text string
		want       []string
	}{
		"nothing":           {"compose.yaml", "services: {a: {image: x}, b: {build: .}}\n", nil},
		"a directory":       {"compose.yaml", "services:\n  a:\n    image: x:1\n    build: sub\n", []string{"compose.yaml:4: sub/Dockerfile in sub, rank 1, names [x:1], for one machine"}},
		"below the root":    {"sub/compose.yaml", "services: {a: {image: x, build: .}}\n", []string{"sub/compose.yaml:1: sub/Dockerfile in sub, rank 1, names [x], for one machine"}},
		"all of a build":    {"compose.yaml", "services: {a: {image: x, build: {context: sub, dockerfile: other.Dockerfile, target: t, args: {A: 1}, platforms: [linux/amd64]}}}\n", []string{"compose.yaml:1: sub/other.Dockerfile in sub, rank 1, target t, args {A: 1}, names [x], platforms [linux/amd64]"}},
		"which publishes":   {"docker-compose.yml", pushes + "services: {a: {image: x, build: .}}\n", []string{"docker-compose.yml:1: Dockerfile in ., rank 4, names [x], for one machine"}},
		"a further file":    {"docker-compose.dev.yml", pushes + "services: {a: {image: x, build: .}}\n", []string{"docker-compose.dev.yml:1: Dockerfile in ., rank 1, names [x], for one machine"}},
		"one that is named": {"compose.prod.yml", strings.Replace(pushes, "compose push", "compose -f compose.prod.yml push", 1) + "services: {a: {image: x, build: .}}\n", []string{"compose.prod.yml:1: Dockerfile in ., rank 4, names [x], for one machine"}},
	} {
		t.Run(name, func(t *testing.T) {
			pipeline, file, _ := strings.Cut(tc.text, "services:")
			d := reader(t, pipeline+"-- Dockerfile --\nFROM x\n-- sub/Dockerfile --\nFROM x\n-- sub/other.Dockerfile --\nFROM x\n-- "+tc.file+" --\nservices:"+file)
			d.compose(tc.file)
			if diff := cmp.Diff(tc.want, builds(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
