package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestTakenShared takes images with a layer in common at the same time. None of them removes what
// another has unpacked and still reads.
func TestTakenShared(t *testing.T) {
	var files indextest.Files
	for n := range 100 {
		files = append(files, fmt.Sprintf("bin/%d=#!/bin/sh\n", n))
	}
	images := map[string]mutate.Appendable{}
	var list strings.Builder
	for n := range 16 {
		images[fmt.Sprint("example.com/app:", n)] = indextest.Filled(t,
			v1.ConfigFile{OS: "linux", Architecture: "amd64", Author: fmt.Sprint(n)}, files)
		fmt.Fprintf(&list, "  - {name: app-%d, source: here, prebuilt: {linux: \"oci:LAYOUT:%d\"}}\n", n, n)
	}
	layout := indextest.Layout(t, images)
	for range 3 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "slipway.yaml"), []byte(`apiVersion: slipway/v1
name: shared
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}]
images:
`+strings.ReplaceAll(list.String(), "LAYOUT", layout)), 0o600); err != nil {
			t.Fatal(err)
		}
		if l := result(t, load(t, dir), storetest.Open(t)); len(l.Images) != len(images) {
			t.Errorf("the release has %d images", len(l.Images))
		}
	}
}
