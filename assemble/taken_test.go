package assemble_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
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
	layout := archivetest.Layout(t, images)
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

// TestTakenArchive: an archive that nothing has touched since is not read again, and one that was
// touched is.
func TestTakenArchive(t *testing.T) {
	layout := archivetest.Layout(t, map[string]mutate.Appendable{"example.com/app:1": indextest.Filled(t,
		v1.ConfigFile{OS: "linux", Architecture: "amd64"}, indextest.Files{"app=#!/bin/sh\n"})})
	file := archivetest.Pack(t, layout, "gz")
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "slipway.yaml"), []byte(`apiVersion: slipway/v1
name: archive
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}]
images:
  - {name: app, source: here, prebuilt: {linux: "oci-archive:`+file+`"}}
`), 0o600))
	st := storetest.Open(t)
	rests := func() (key string) {
		for {
			key, _, rests, err := layer.Identity(file)
			must(t, err)
			if rests {
				return key
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	key := rests()
	want := result(t, load(t, dir), st).Images[0].Children[0].Digest
	var known struct{ Manifest v1.Hash }
	if ok, err := st.Recall("prebuilt archive", "oci-archive:"+file+" linux/amd64 "+key, &known); err != nil || !ok ||
		known.Manifest != want {
		t.Errorf("%v of the archive is known, %t (%v)", known, ok, err)
	}

	must(t, os.WriteFile(file, []byte("no archive"), 0o600))
	must(t, st.Record("prebuilt archive", "oci-archive:"+file+" linux/amd64 "+rests(),
		map[string]any{"manifest": want.String()}))
	if got := result(t, load(t, dir), st).Images[0].Children[0].Digest; got != want {
		t.Errorf("the archive is read again: %s, not %s", got, want)
	}
	must(t, os.WriteFile(file, []byte("no archive"), 0o600))
	if _, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: st}); err == nil ||
		!strings.Contains(err.Error(), "it is truncated") {
		t.Errorf("the error for another archive is %v", err)
	}
}
