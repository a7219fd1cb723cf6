package scaffold

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWholeName: a name has its registry, and where users do not pull from is none.
func TestWholeName(t *testing.T) {
	d := &Draft{}
	for ref, want := range map[string]string{
		"a/b": "docker.io/a/b", "a/b:1": "docker.io/a/b:1", "docker.io/a/b": "docker.io/a/b", "index.docker.io/a/b:1": "docker.io/a/b:1",
		"ghcr.io/a/b": "ghcr.io/a/b", "Ghcr.IO/A/B:V1": "ghcr.io/a/b:V1", "r.io:5000/a/b:1": "r.io:5000/a/b:1", "registry.example.net/a": "registry.example.net/a",
		"quay.io/a/b:$(TAG)": "quay.io/a/b:$(TAG)",
	} {
		if got, ok := d.wholeName(ref); got != want || !ok {
			t.Errorf("%q is %q, %v, and not %q", ref, got, ok, want)
		}
	}
	for _, ref := range []string{
		"", "a", "a:1", "a/", "/a", "$(R)/a/b", "r.io/$(A)", "{{.R}}/a", "localhost/a/b", "localhost:5000/a/b", "127.0.0.1:5000/a", "0.0.0.0/a", "reg:5000/a",
		"github.com/a/b", "www.github.com/a/b", "gitlab.com/a/b", "pkg.go.dev/a/b", "ttl.sh/a/b", "mirror.gcr.io/a/b", "registry-1.docker.io/a/b", "example.com/a",
		"r.example.org/a/b", "a.local/b", "a.svc/b", "my.internal/b", "r.io/v2/a", "r.io/api/a", "r.io/a b",
	} {
		if got, ok := d.wholeName(ref); ok {
			t.Errorf("%q is %q", ref, got)
		}
	}
}

// TestVersionIn: a directory of a path may be a version.
func TestVersionIn(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "x": "", "a/v1.2.3/b": "v1.2.3", "deploy/1.0/x": "v1.0", "a/v1.2.3-rc.1": "v1.2.3-rc.1", "a/1.2.3.4/b": "", "a/main/v2x": "", "v1.0.0/v2.0.0": "v1.0.0",
	} {
		if got := versionIn(path); got != want {
			t.Errorf("%q has %q, not %q", path, got, want)
		}
	}
	if !newer("a/v1.10.0/x", "a/v1.9.0/x") || newer("a/v1.9.0", "a/v1.10.0") || newer("a/v1.0.0", "b/v1.0.0") || newer("a/x", "a/v1.0.0") || !newer("v1.0.0", "v1.0.0-rc.1") {
		t.Error("versions are in another order")
	}
}

// TestOwner: the owner is that of the module's repository.
func TestOwner(t *testing.T) {
	for url, want := range map[string]string{"https://github.com/Example/app": "example", "https://github.com/a": "a", "": "", "https://x": ""} {
		if got := (&Draft{source: source{url: url}}).owner(); got != want {
			t.Errorf("%q is of %q, not %q", url, got, want)
		}
	}
}

// TestAllReferences: images are found in builds, manifests, values of charts, the README and what
// publishes, each with what it proves.
func TestAllReferences(t *testing.T) {
	for name, tc := range map[string]struct {
		files string
		want  []named
	}{
		"nothing": {"", nil},
		"a build": {
			"-- build.sh --\ndocker build -t r.io/a/app:$TAG -t app .\n",
			[]named{{"r.io/a/app", "$TAG", "Dockerfile", develops, place{"build.sh", 1}}},
		},
		"a README": {
			"-- README.md --\n# x\n`docker run -it ghcr.io/example/app:v1` and `docker pull docker.io/other/app` or registry.k8s.io/x/y\n-- docs/README.md --\n`docker run ghcr.io/example/no`\n",
			[]named{
				{"ghcr.io/example/app", "v1", "", installs, place{"README.md", 2}},
				{"docker.io/other/app", "", "", develops, place{"README.md", 2}},
				{"registry.k8s.io/x/y", "", "", installs, place{"README.md", 2}},
			},
		},
		"Docker Hub": {
			"-- README.md --\n`docker run -v a/b:/c --name x/y example/app:v1` or `docker pull other/app`\nimage: example/web\nsee example/no\n",
			[]named{
				{"docker.io/example/app", "v1", "", installs, place{"README.md", 1}},
				{"docker.io/other/app", "", "", develops, place{"README.md", 1}},
				{"docker.io/example/web", "", "", installs, place{"README.md", 2}},
			},
		},
		"a comment": {
			"-- cloudbuild.yaml --\n# such as r.io/a/app:1\nx: r.io/b/app\n",
			[]named{{"r.io/a/app", "", "", develops, place{"cloudbuild.yaml", 1}}, {"r.io/b/app", "", "", publishes, place{"cloudbuild.yaml", 2}}},
		},
		"organizations of promu's orb": {
			"-- .circleci/config.yml --\nx: prometheus/publish_release\ndocker_hub_organization: a\nquay_io_organization: \"b\"\n-- Makefile --\nDOCKER_IMAGE_NAME = x-y\n",
			[]named{{"docker.io/a/x-y", "", "", publishes, place{".circleci/config.yml", 2}}, {"quay.io/b/x-y", "", "", publishes, place{".circleci/config.yml", 3}}},
		},
		"the action that installs ko": {
			"-- .github/workflows/x.yml --\non: [push]\njobs:\n  x:\n    steps:\n    - uses: ko-build/setup-ko@v0.9\n    - run: ko build --bare\n",
			[]named{{"ghcr.io/example/app", "", "app", publishes, place{".github/workflows/x.yml", 5}}, {"ghcr.io/example/app", "", "", publishes, place{".github/workflows/x.yml", 5}}},
		},
		"a manifest": {
			"-- deploy/a.yaml --\nkind: Pod\nspec: {containers: [\n  {image: r.io/example/app:1},\n  {image: \"a/b:2\"}]}\n  # image: none\n",
			[]named{{"r.io/example/app", "1", "", installs, place{"deploy/a.yaml", 3}}, {"docker.io/a/b", "2", "", copies, place{"deploy/a.yaml", 4}}},
		},
		"a manifest of tests": {"-- test/a.yaml --\nkind: Pod\nimage: r.io/a/app\n", nil},
		"of another version":  {"-- deploy/v0.1.0/a.yaml --\nkind: Pod\nimage: r.io/a/app\n", nil},
		"values": {
			"-- charts/a/values.yaml --\nimage:\n  registry: r.io\n  repository: a/app\n  tag: v1\n",
			[]named{{"r.io/a/app", "", "", copies, place{"charts/a/values.yaml", 3}}, {"r.io/a/app", "v1", "", copies, place{"charts/a/values.yaml", 4}}},
		},
		"what publishes": {
			"-- cloudbuild.yaml --\nx: build r.io/a/app:1\ny: see github.com/a/b and r.io/a/x.yaml\nz:gcr.io/k8s-staging-x\n",
			[]named{{"r.io/a/app", "", "", publishes, place{"cloudbuild.yaml", 1}}, {"gcr.io/k8s-staging-x/app", "", "", publishes, place{"cloudbuild.yaml", 3}}},
		},
		"ko": {
			"-- cloudbuild.yaml --\nx: KO_DOCKER_REPO=r.io/a ko build\n",
			[]named{{"r.io/a/app", "", "", develops, place{"cloudbuild.yaml", 1}}, {"r.io/a", "", "", publishes, place{"cloudbuild.yaml", 1}}},
		},
		"ko with plain names": {
			"-- cloudbuild.yaml --\nx: KO_DOCKER_REPO=r.io/a ko build --base-import-paths\n",
			[]named{{"r.io/a/app", "", "", publishes, place{"cloudbuild.yaml", 1}}, {"r.io/a", "", "", publishes, place{"cloudbuild.yaml", 1}}},
		},
		"ko with a whole name": {
			"-- cloudbuild.yaml --\nx: KO_DOCKER_REPO=r.io/a/b ko build --bare\n",
			[]named{{"r.io/a/b", "", "app", publishes, place{"cloudbuild.yaml", 1}}, {"r.io/a/b", "", "", publishes, place{"cloudbuild.yaml", 1}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains+"-- Dockerfile --\nFROM x\n"+tc.files)
			d.version = "v1.0.0"
			d.findBuilds()
			d.images = []image{{name: "app", program: "app"}}
			got := d.allReferences()
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(named{}, place{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := d.allReferences(); !slices.Equal(again[:len(got)], got) {
				t.Errorf("the second time it is %v", again)
			}
		})
	}
}
