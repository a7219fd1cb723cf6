package consumer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fullPath puts every command into PATH, so that nothing is installed, whoever runs the test.
func fullPath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, c := range All {
		for _, command := range c.Commands {
			if err := os.WriteFile(filepath.Join(dir, command), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("SLIPWAY_WITHOUT", "")
	return dir
}

func TestNothingMissing(t *testing.T) {
	fullPath(t)
	without, err := SetUp(t.Context())
	without = rootless(without)
	if err != nil || len(without) != 0 {
		t.Errorf("SetUp = %v, %v; want nothing", without, err)
	}
}

// rootless returns the names without those of consumers that another user than root lacks.
func rootless(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		c, _ := Find(name)
		return c.Root && os.Geteuid() != 0
	})
}

// TestMissing removes commands from a PATH without apt-get.
func TestMissing(t *testing.T) {
	dir := fullPath(t)
	for _, command := range []string{"x86_64-w64-mingw32-gcc", "wine"} {
		if err := os.Remove(filepath.Join(dir, command)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLIPWAY_WITHOUT", "containerd docker,podman,buildkit,cluster")
	without, err := SetUp(t.Context())
	want := rootless([]string{"wine", "mingw", "containerd", "docker", "podman", "buildkit", "cluster"})
	if without = rootless(without); err != nil || !slices.Equal(without, want) {
		t.Errorf("SetUp = %v, %v; want %v", without, err, want)
	}
}

func TestUnknownName(t *testing.T) {
	fullPath(t)
	t.Setenv("SLIPWAY_WITHOUT", "whine")
	_, err := SetUp(t.Context())
	if err == nil || !strings.Contains(err.Error(), "SLIPWAY_WITHOUT names whine; there are gcc, containerd") {
		t.Errorf("error = %v", err)
	}
}
