package workflows

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// clone makes a git repository of the files of this one, with a product and a workflow that calls
// product.yml.
func clone(t *testing.T, registry string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	must(t, err)
	files := strings.Split(testprog.Run(t, "git", "-C", root, "ls-files", "-z", "--cached", "--others",
		"--exclude-standard"), "\x00")
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
	for _, f := range []struct{ from, to string }{
		{"caller.yml", ".github/workflows/caller.yml"},
		{"setup.yml", ".github/workflows/setup.yml"},
		{"audit.yml", ".github/workflows/audit.yml"},
		{"empty.yml", ".github/workflows/empty.yml"},
		{"slipway.yaml", "act/slipway.yaml"},
		{"files.yaml", "act/files.yaml"},
		{"Dockerfile", "act/Dockerfile"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", f.from))
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f.to)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, f.to),
			bytes.ReplaceAll(text, []byte(": REGISTRY/"), []byte(": "+registry+"/")), 0o644))
	}
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

// act runs a workflow, and returns the directory of its artifacts and what it printed.
func act(t *testing.T, repository, workflow, secrets string, flags ...string) (artifacts, out string, err error) {
	t.Helper()
	home := t.TempDir()
	artifacts = filepath.Join(home, "artifacts")
	must(t, os.WriteFile(filepath.Join(home, "secrets"), []byte(secrets), 0o600))
	args := []string{
		"push", "--workflows=.github/workflows/" + workflow, "--platform=ubuntu-24.04=-self-hosted",
		"--secret-file=" + filepath.Join(home, "secrets"),
		"--env=STUB_REPOSITORY=" + repository, "--env=STUB_ARTIFACTS=" + artifacts,
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
		args = append(args, "--env="+name+"="+strings.TrimSpace(testprog.Run(t, "go", "env", name)))
	}
	cmd := exec.CommandContext(t.Context(), testprog.Built(t, "act", "act"), append(args, flags...)...)
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "NO_COLOR=1")
	b, err := cmd.CombinedOutput()
	return artifacts, string(b), err
}

// standIns are the flags by which act takes the actions of testdata for those that the workflow
// names, at whatever commit.
func standIns(t *testing.T, repository string) (flags []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, ".github/workflows/product.yml"))
	must(t, err)
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`uses: (actions/([a-z-]+)@[0-9a-f]{40})`).FindAllStringSubmatch(string(text),
		-1) {
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
