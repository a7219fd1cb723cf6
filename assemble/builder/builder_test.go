package builder_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/platform"
)

var update = flag.Bool("update", false, "write the golden files anew")

var amd64 = platform.Platform{OS: "linux", Architecture: "amd64"}

// answers are what the stand-ins answer to the questions of Find, before what a test adds.
var answers = map[string]string{
	builder.Docker: `
case "$*" in
"buildx version") echo "github.com/docker/buildx v0.19.3 48d6a39"; exit;;
"buildx inspect --bootstrap") cat <<'X'
Name:          demo
Driver:        docker-container
Last Activity: 2026-01-02 03:04:05 +0000 UTC

Nodes:
Name:                  demo0
Endpoint:              unix:///var/run/docker.sock
Error:
Status:                running
BuildKit version:      v0.17.2
Platforms:             linux/amd64*, linux/amd64/v2, linux/arm64, linux/386
X
exit;;
esac
out=$(printf '%s\n' "$@" | sed -n 's/^--output=type=oci,dest=\(.*\),tar=false,.*/\1/p')
`,
	builder.Buildctl: `
case "$1" in
--version) echo "buildctl github.com/moby/buildkit v0.16.0 8a2e3a5"; exit;;
debug) echo '[{"platforms":[{"architecture":"amd64","os":"linux"},{"architecture":"arm64","os":"linux"}],' \
  '"buildkitVersion":{"version":"v0.15.1"}}]'; exit;;
esac
out=$(printf '%s\n' "$@" | sed -n 's/^--output=type=oci,dest=\(.*\),tar=false,.*/\1/p')
`,
	builder.Podman: `
case "$1" in
info) echo '{"host":{"arch":"amd64","buildahVersion":"1.28.2"},"version":{"Version":"4.3.1"}}'; exit;;
images) test "$2" = --all && echo "$BEFORE" || echo sha256:0123; exit;;
rmi|untag) exit;;
esac
out=$(printf '%s\n' "$@" | sed -n 's/^--output=//p')
`,
}

// makes is the end of a stand-in that makes a layout.
const makes = `test -z "$out" || cp -r "$LAYOUT/." "$out"; echo "#5 DONE 0.1s"`

// standIn puts a program in place of a builder, which records its arguments and runs body, and
// returns a function that returns what it recorded.
func standIn(t *testing.T, name, body string) (recorded func() string) {
	t.Helper()
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	script := "#!/bin/sh\n{ printf '%s\\n' \"$@\"; echo \"  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-unset}\"; } >>" + record +
		"\n" + answers[name] + body + "\n"
	write(t, filepath.Join(dir, name), script, 0o755)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("LAYOUT", image(t, amd64))
	return func() string {
		b, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

// image makes a layout with an image without layers.
func image(t *testing.T, on ...platform.Platform) string {
	t.Helper()
	dir := t.TempDir()
	p, err := layout.Write(dir, empty.Index)
	must(t, err)
	for _, on := range on {
		img, err := mutate.ConfigFile(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
			&v1.ConfigFile{OS: on.OS, Architecture: on.Architecture, Variant: on.Variant})
		must(t, err)
		must(t, p.AppendImage(img))
	}
	return dir
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), mode))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// request is a request with everything.
func request(t *testing.T) builder.Request {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "agent.Dockerfile"), "FROM scratch\nCOPY a /\nRUN make all\n", 0o644)
	return builder.Request{
		File: filepath.Join(dir, "agent.Dockerfile"), Shown: "agent.Dockerfile", Context: dir, Target: "final",
		Args:   map[string]string{"VERSION": "1.2", "EMPTY": "", "SOURCE_DATE_EPOCH": "7"},
		Labels: map[string]string{"b": "x=y", "a": "1"},
		Contexts: map[string]string{
			"binaries": filepath.Join(dir, "bin"), "base": "docker-image://demo.local/base@sha256:" + strings.Repeat("a", 64),
		},
		Platform: amd64, Epoch: time.Unix(1700000000, 5),
	}
}

func find(t *testing.T, name string) builder.Tool {
	t.Helper()
	tool, err := builder.Find(t.Context(), name)
	must(t, err)
	return tool
}

// TestArguments: each builder gets exactly these arguments, and the time of the image in place of
// the user's.
func TestArguments(t *testing.T) {
	for name, version := range map[string]string{
		builder.Docker:   "docker buildx v0.19.3; BuildKit v0.17.2",
		builder.Buildctl: "buildctl v0.16.0; BuildKit v0.15.1",
		builder.Podman:   "podman 4.3.1; Buildah 1.28.2",
	} {
		t.Run(name, func(t *testing.T) {
			recorded := standIn(t, name, makes)
			t.Setenv("SOURCE_DATE_EPOCH", "99")
			r, out := request(t), t.TempDir()
			if name != builder.Podman {
				r.Contexts["docker.io/library/other:latest"] = "oci-layout:///layouts/a@sha256:" + strings.Repeat("b", 64)
				for _, spelled := range []string{
					"docker.io/hub", "library/lib:2", "docker.io/of/team:latest", "registry.example/library/x:latest",
				} {
					r.Contexts[spelled] = "docker-image://demo.local/x@sha256:" + strings.Repeat("c", 64)
				}
			}
			var noted []string
			r.Note = func(line string) { noted = append(noted, line) }
			tool := find(t, name)
			if tool.Version != version {
				t.Errorf("the version is %q, want %q", tool.Version, version)
			}
			must(t, tool.Build(t.Context(), r, out))
			r.Fresh, r.Target, r.Context, r.Contexts, r.Args, r.Labels = true, "", "", nil, nil, nil
			second := t.TempDir()
			must(t, tool.Build(t.Context(), r, second))
			got := strings.NewReplacer(filepath.Dir(r.File), "CONTEXT", out, "OUT", second, "OUT2").Replace(recorded())
			got = scratch.ReplaceAllString(random.ReplaceAllString(got, "slipway-RANDOM:"), "SCRATCH")
			golden.Compare(t, *update, filepath.Join("testdata", "arguments", name+".txt"), got)
			if len(noted) == 0 || noted[0] != "#5 DONE 0.1s" {
				t.Errorf("noted were %q", noted)
			}
		})
	}
}

// TestWrongRequest: what builders would read in another way is not passed to them.
func TestWrongRequest(t *testing.T) {
	standIn(t, builder.Docker, makes)
	tool := find(t, builder.Docker)
	for want, change := range map[string]func(*builder.Request){
		`the name "a=b" of a context`: func(r *builder.Request) { r.Contexts["a=b"] = "/" },
		`the name or value of "K=V"`:  func(r *builder.Request) { r.Args["K=V"] = "" },
		`the name or value of "L"`:    func(r *builder.Request) { r.Labels["L"] = "\x00" },
	} {
		r := request(t)
		change(&r)
		err := tool.Build(t.Context(), r, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestLayout: a builder that ends with 0 has not always made what was asked for.
func TestLayout(t *testing.T) {
	arm := platform.Platform{OS: "linux", Architecture: "arm64", Variant: "v8"}
	broken := image(t, amd64)
	write(t, filepath.Join(broken, "index.json"), "{", 0o644)
	for want, made := range map[string]string{
		"it succeeded, and made no OCI layout":                               t.TempDir(),
		"it succeeded, and what it made is an image for linux/arm64/v8, not": image(t, arm),
		"it succeeded, and what it made has no image":                        image(t),
		"it succeeded, and what it made: reading index.json":                 broken,
	} {
		for _, name := range builder.Names() {
			standIn(t, name, makes)
			t.Setenv("LAYOUT", made)
			err := find(t, name).Build(t.Context(), request(t), t.TempDir())
			if prefix := fmt.Sprintf("builder %s: building agent.Dockerfile for linux/amd64: ", name); err == nil ||
				!strings.HasPrefix(err.Error(), prefix) || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: the error is %v, want %q", name, err, want)
			}
		}
	}
	standIn(t, builder.Docker, makes)
	t.Setenv("LAYOUT", image(t, arm))
	r := request(t)
	r.Platform.Architecture = "arm64"
	must(t, find(t, builder.Docker).Build(t.Context(), r, t.TempDir()))
}
