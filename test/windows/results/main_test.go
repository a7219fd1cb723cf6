package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	goldentest "github.com/slipway-dev/slipway/internal/testing/golden"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPage holds pages against golden ones.
func TestPage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "page.md")
	for golden, files := range map[string][]string{
		"testdata/page.md":  {"testdata/docker.json", "testdata/containerd.json"},
		"testdata/empty.md": nil,
	} {
		if err := write(out, "https://example.com/run/1", files); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		goldentest.Compare(t, *update, golden, string(got))
	}
	if err := write(out, "", []string{"main.go"}); err == nil {
		t.Error("what is no JSON is taken")
	}
}
