package workflows

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
)

// TestProduct releases a product by the workflow: plan, two shards, merge with a key, a draft with
// all files. No tag exists before everything else does.
func TestProduct(t *testing.T) {
	testprog.Need(t, "act")
	registry, hub := registrytest.Serve(t), githubtest.Serve(t)
	home := t.TempDir()
	artifacts, secrets := filepath.Join(home, "artifacts"), filepath.Join(home, "secrets")
	repository := clone(t, registry.Host())
	key, _, err := signature.Generate([]byte("secret"))
	must(t, err)
	text := fmt.Sprintf("KEY=%q\nPASSWORD=secret\nGITHUB_TOKEN=%s\n", key, githubtest.Token)
	must(t, os.WriteFile(secrets, []byte(text), 0o600))

	args := []string{
		"push", "--workflows=.github/workflows/caller.yml", "--platform=ubuntu-24.04=-self-hosted", "--secret-file=" + secrets,
		"--env=STUB_REPOSITORY=" + repository, "--env=STUB_ARTIFACTS=" + artifacts,
		"--env=GITHUB_API_URL=" + hub.API(), "--env=GITHUB_REPOSITORY=" + githubtest.Repository,
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
		args = append(args, "--env="+name+"="+strings.TrimSpace(testprog.Run(t, "go", "env", name)))
	}
	cmd := exec.CommandContext(t.Context(), testprog.Built(t, "act", "act"), append(args, standIns(t, repository)...)...)
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("act: %v\n%s", err, out)
	}
	for _, secret := range []string{githubtest.Token, "PRIVATE KEY"} {
		if strings.Contains(string(out), secret) {
			t.Errorf("the log has %q", secret)
		}
	}

	for _, part := range []string{"part-0", "part-1"} {
		if _, err := os.Stat(filepath.Join(artifacts, part, "release.part.json")); err != nil {
			t.Error(err)
		}
	}
	l, err := lock.Read(filepath.Join(artifacts, "release", "release.lock.json"))
	must(t, err)
	d, err := remote.Get(registry.Repo(t, "me/demo/hello").Tag("1.0.0"))
	must(t, err)
	if len(l.Images) != 1 || d.Digest != l.Images[0].Digest {
		t.Errorf("the tag names %s, the lock %v", d.Digest, l.Images)
	}
	calls, _ := registry.Reset()
	writes := slices.DeleteFunc(calls, func(c string) bool { return !strings.HasPrefix(c, "PUT ") && !strings.HasPrefix(c, "POST ") })
	tags := slices.DeleteFunc(slices.Clone(writes), func(c string) bool { return !regexp.MustCompile(`/manifests/[^s]`).MatchString(c) })
	if len(tags) != 1 || writes[len(writes)-1] != tags[0] {
		t.Errorf("tags were written by %q, and last was %q", tags, writes[len(writes)-1])
	}

	if len(hub.Releases) != 1 || !hub.Releases[0].Draft || hub.Releases[0].Tag != "v1.0.0" {
		t.Fatalf("the releases at GitHub: %+v", hub.Releases)
	}
	for _, file := range []string{"SHA256SUMS", "SHA256SUMS.sigstore.json", "provenance.sigstore.json", "demo-images.tar.zst"} {
		if !slices.ContainsFunc(hub.Releases[0].Assets, func(a *githubtest.Asset) bool { return a.Name == file }) {
			t.Errorf("the draft has no %s", file)
		}
	}
}

// clone makes a git repository of the files of this one, with a product and a workflow that calls
// product.yml.
func clone(t *testing.T, registry string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	must(t, err)
	files := strings.Split(testprog.Run(t, "git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00")
	for _, f := range files {
		from := filepath.Join(root, f)
		if fi, err := os.Lstat(from); f == "" || err != nil || !fi.Mode().IsRegular() {
			continue
		}
		b, err := os.ReadFile(from)
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, f), b, 0o644))
	}
	caller, err := os.ReadFile("testdata/caller.yml")
	must(t, err)
	description, err := os.ReadFile("testdata/slipway.yaml")
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, "act"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "act", "slipway.yaml"), description, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, ".github/workflows/caller.yml"), []byte(strings.Replace(string(caller), "REGISTRY", registry, 1)), 0o644))
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "all"},
		{"remote", "add", "origin", "https://github.com/" + githubtest.Repository},
	} {
		testprog.Run(t, "git", append([]string{"-C", dir}, args...)...)
	}
	return dir
}

// standIns are the flags by which act takes the actions of testdata for those that the workflow
// names, at whatever commit.
func standIns(t *testing.T, repository string) (flags []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, ".github/workflows/product.yml"))
	must(t, err)
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`uses: (actions/([a-z-]+)@[0-9a-f]{40})`).FindAllStringSubmatch(string(text), -1) {
		if seen[m[1]] {
			continue
		}
		seen[m[1]] = true
		dir, err := filepath.Abs(filepath.Join("testdata/actions", m[2]))
		must(t, err)
		flags = append(flags, "--local-repository="+m[1]+"="+dir)
	}
	return flags
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
