package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Everything is in PATH here, so that nothing is installed, whoever runs the test.
func pathWithAll(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, c := range consumers {
		for _, command := range c.commands {
			if err := os.WriteFile(filepath.Join(dir, command), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

func TestNothingMissing(t *testing.T) {
	pathWithAll(t)
	without, err := setUp(t.Context(), nil)
	if os.Geteuid() != 0 {
		without = slices.DeleteFunc(without, func(name string) bool {
			return name == "containerd" || name == "docker" || name == "podman" || name == "cluster"
		})
	}
	if err != nil || len(without) != 0 {
		t.Errorf("setUp = %v, %v; want nothing", without, err)
	}
}

// Without apt-get in PATH, what is missing is named.
func TestMissing(t *testing.T) {
	dir := pathWithAll(t)
	for _, command := range []string{"ctr", "wine"} {
		if err := os.Remove(filepath.Join(dir, command)); err != nil {
			t.Fatal(err)
		}
	}
	without, err := setUp(t.Context(), []string{"docker"})
	if want := []string{"containerd", "wine", "docker"}; err != nil || !slices.Equal(without, want) {
		t.Errorf("setUp = %v, %v; want %v", without, err, want)
	}
}

func TestUnknownName(t *testing.T) {
	pathWithAll(t)
	_, err := setUp(t.Context(), []string{"whine"})
	if err == nil || !strings.Contains(err.Error(), "SLIPWAY_WITHOUT names whine; there are race, containerd") {
		t.Errorf("error = %v", err)
	}
}
