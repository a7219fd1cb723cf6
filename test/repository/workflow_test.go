package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what the tests look at of a GitHub workflow.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Name, Run string
		}
	}
}

// step returns the commands of a step of the release workflow.
func step(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".github/workflows/release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	for _, s := range w.Jobs["release"].Steps {
		if s.Name == name {
			return s.Run
		}
	}
	t.Fatalf("the release workflow has no step %q", name)
	return ""
}

// bash runs a step's commands as GitHub does, in dir, with a program of that name which prints
// its arguments.
func bash(t *testing.T, dir, commands, program string) string {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", commands)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "VERSION=v1.2.3-RC1", "OWNER=Acme", "GITHUB_REPOSITORY=Acme/slipway"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestReleaseHasItsOwnPath: two releases of Slipway make different bytes of the same kpack, so
// their tags must not be the same.
func TestReleaseHasItsOwnPath(t *testing.T) {
	if out := bash(t, t.TempDir(), step(t, "Cut kpack"), "go"); !strings.HasSuffix(out, "\n-registry=ghcr.io/acme/slipway/v1.2.3-rc1\n") {
		t.Errorf("kpack is cut by go %s", out)
	}
}

// TestDraft lays out what the steps before have made, and checks the uploads as those who
// download them do.
func TestDraft(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dist/release.yaml":             "a\n",
		"dist/kpack-images.tar.zst":     "b\n",
		"dist/sbom/app.spdx.json":       "f\n",
		"dist/bin/slipway":              "c\n",
		"bin/slipway-linux-amd64":       "d\n",
		"bin/slipway-windows-arm64.exe": "e\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bash(t, dir, "cd dist && sha256sum release.yaml kpack-images.tar.zst sbom/app.spdx.json bin/slipway >SHA256SUMS", "gh")
	out := bash(t, dir, step(t, "Draft the release"), "gh")
	downloads := t.TempDir()
	for line := range strings.Lines(out) {
		file := filepath.Join(dir, strings.TrimSpace(line))
		if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() {
			continue // a flag of gh
		}
		to := filepath.Join(downloads, filepath.Base(file))
		if _, err := os.Stat(to); err == nil {
			t.Errorf("two uploads have the name %s", filepath.Base(file))
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(downloads)
	if err != nil || len(entries) != 6 {
		t.Errorf("the uploads are %v, %v; want SHA256SUMS and 5 files", entries, err)
	}
	checked := bash(t, downloads, "sha256sum --check SHA256SUMS", "gh")
	if n := strings.Count(checked, ": OK\n"); n != 5 {
		t.Errorf("the checksums are of %d files:\n%s", n, checked)
	}
}
