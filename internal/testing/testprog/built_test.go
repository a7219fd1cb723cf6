package testprog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTools: every program that is asked for is a tool of test/programs.
func TestTools(t *testing.T) {
	module, err := findPrograms()
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"containerd":              "github.com/containerd/containerd/v2/cmd/containerd",
		"containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
		"ctr":                     "github.com/containerd/containerd/v2/cmd/ctr",
		"crane":                   "github.com/google/go-containerregistry/cmd/crane",
		"docker":                  "github.com/docker/cli/cmd/docker",
		"dockerd":                 "github.com/moby/moby/v2/cmd/dockerd",
		"runc":                    "github.com/opencontainers/runc",
	} {
		if got, err := tool(string(mod), name); err != nil || got != want {
			t.Errorf("%s is built from %q, want %q: %v", name, got, want, err)
		}
	}
	if _, err := tool(string(mod), "errdefs"); err == nil || !strings.Contains(err.Error(), "has no tool errdefs") {
		t.Errorf("a module that is no tool: %v", err)
	}
}

func TestFindPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	if dir, err := findPrograms(); err == nil {
		t.Errorf("there is %s", dir)
	}
}
