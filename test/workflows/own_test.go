package workflows

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
)

// ownFile describes slipway itself.
const ownFile = "packaging/slipway.yaml"

// TestOwn releases slipway by its own workflow and description, but for the program, which is a
// small one here, and the tests, which have passed elsewhere. Shards that have only artifacts are
// among the four.
func TestOwn(t *testing.T) {
	testprog.Need(t, "act")
	registry, hub := registrytest.Serve(t), githubtest.Serve(t)
	home := t.TempDir()
	artifacts, secrets, event := filepath.Join(home, "artifacts"), filepath.Join(home, "secrets"),
		filepath.Join(home, "event.json")
	repository := clone(t, registry.Host())
	own(t, repository, registry.Host())
	key, _, err := signature.Generate([]byte("secret"))
	must(t, err)
	text := fmt.Sprintf("SLIPWAY_KEY=%q\nSLIPWAY_PASSWORD=secret\nGITHUB_TOKEN=%s\n", key, githubtest.Token)
	must(t, os.WriteFile(secrets, []byte(text), 0o600))
	must(t, os.WriteFile(event, []byte(`{"ref": "refs/tags/v1.0.0"}`), 0o600))

	args := []string{
		"push", "--workflows=.github/workflows/release.yml", "--eventpath=" + event,
		"--platform=ubuntu-24.04=-self-hosted", "--secret-file=" + secrets,
		"--env=STUB_REPOSITORY=" + repository, "--env=STUB_ARTIFACTS=" + artifacts,
		"--env=STUB_SLIPWAY=" + slipway(t, home),
		"--env=GITHUB_API_URL=" + hub.API(), "--env=GITHUB_REPOSITORY=" + githubtest.Repository,
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
		args = append(args, "--env="+name+"="+strings.TrimSpace(testprog.Run(t, "go", "env", name)))
	}
	cmd := exec.CommandContext(t.Context(), testprog.Built(t, "act", "act"),
		append(args, standIns(t, repository)...)...)
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "NO_COLOR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("act: %v\n%s", err, out)
	}

	onlyArtifacts := 0
	for _, s := range planned(t, artifacts).Shards {
		if len(s.Images) == 0 {
			onlyArtifacts++
		}
	}
	if onlyArtifacts == 0 {
		t.Error("every shard has an image: shards that have none are what this is about")
	}
	for _, tag := range []string{"1.0.0", "1.0"} {
		if _, err := remote.Get(registry.Repo(t, "me/slipway/slipway").Tag(tag)); err != nil {
			t.Error(err)
		}
	}
	if len(hub.Releases) != 1 || !hub.Releases[0].Draft || hub.Releases[0].Tag != "v1.0.0" {
		t.Fatalf("the releases at GitHub: %+v", hub.Releases)
	}
	assets := map[string]bool{}
	for _, a := range hub.Releases[0].Assets {
		assets[a.Name] = true
	}
	for _, file := range []string{
		"SHA256SUMS", "SHA256SUMS.sigstore.json", "slipway-images.tar.zst", "slipway-linux-amd64",
		"slipway-linux-arm64",
		"slipway-darwin-amd64", "slipway-darwin-arm64", "slipway-windows-amd64.exe", "slipway-windows-arm64.exe",
	} {
		if !assets[file] {
			t.Errorf("the draft has no %s, but %v", file, assets)
		}
	}
}

// TestOwnPlan divides the release of slipway as it is by four, and checks each shard up to where it
// would compile.
func TestOwnPlan(t *testing.T) {
	registry := registrytest.Serve(t)
	file := filepath.Join(clone(t, registry.Host()), ownFile)
	options := product.Options{Path: file, Version: "v1.0.0", Registries: []string{registry.Host() + "/me"}}
	p, err := product.Load(t.Context(), options)
	must(t, err)
	plan, err := release.Divide(t.Context(), p, release.Options{Out: t.TempDir(), Store: t.TempDir()}, 4, times.New())
	must(t, err)
	if len(plan.Shards) != 4 {
		t.Errorf("there are %d shards", len(plan.Shards))
	}
	for _, s := range plan.Shards {
		o := options
		must(t, (&release.Shard{Plan: plan, Number: s.Number}).Select(&o))
		part, err := product.Load(t.Context(), o)
		must(t, err)
		if _, err := publish.CheckAccess(t.Context(), part, storetest.Open(t), network.Options{}); err != nil {
			t.Errorf("shard %d: %v", s.Number, err)
		}
	}
}

// own changes a clone so that the release of slipway costs little: a small program is in its place,
// whose module is that of packaging, and nothing is tested or compiled for the workflow itself.
func own(t *testing.T, dir, registry string) {
	t.Helper()
	edit(t, filepath.Join(dir, ownFile), `directory: \.\.`, "directory: .", `package: \./cmd/slipway`, "package: ./cmd")
	edit(t, filepath.Join(dir, ".github/workflows/release.yml"), `ghcr\.io/`, registry+"/", `    secrets:\n`,
		"    secrets:\n      registry-user: me\n      registry-password: $${{ secrets.SLIPWAY_PASSWORD }}\n")
	edit(t, filepath.Join(dir, ".github/actions/setup/action.yml"), `[A-Z_0-9=]* ?go build [^\n]*\./cmd/slipway\n`,
		"cp \"$$STUB_SLIPWAY\" \"$$bin/slipway\"\n")
	for name, text := range map[string]string{
		"packaging/go.mod":      "module example.com/slipway\n\ngo 1.24\n",
		"packaging/cmd/main.go": "package main\n\nvar version string\n\nfunc main() { println(version) }\n",
		"packaging/Dockerfile": "FROM static\nARG TARGETARCH\nARG GO\nARG SHA256\nCOPY --from=binaries " +
			"linux_${TARGETARCH}/slipway /usr/local/bin/slipway\nENTRYPOINT [\"/usr/local/bin/slipway\"]\n",
		".github/workflows/ci.yml": "on: workflow_call\njobs:\n  none:\n    runs-on: " +
			"ubuntu-24.04\n    steps:\n      - run: 'true'\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "small"},
		{"tag", "v1.0.0"},
	} {
		testprog.Run(t, "git", append([]string{"-C", dir}, args...)...)
	}
}

// edit replaces each of the patterns in a file, which must have it.
func edit(t *testing.T, path string, pairs ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	for n := 0; n < len(pairs); n += 2 {
		pattern := regexp.MustCompile(pairs[n])
		if !pattern.Match(text) {
			t.Fatalf("%s has no %s", path, pattern)
		}
		text = pattern.ReplaceAll(text, []byte(pairs[n+1]))
	}
	must(t, os.WriteFile(path, text, 0o644))
}

// slipway compiles the command once for all jobs.
func slipway(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(dir, "slipway")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "../../cmd/slipway")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}

// planned reads the plan that the first job handed over.
func planned(t *testing.T, artifacts string) (p shard.Plan) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(artifacts, "*", "plan.json"))
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("the plans are %q", found)
	}
	text, err := os.ReadFile(found[0])
	must(t, err)
	must(t, json.Unmarshal(text, &p))
	return p
}
