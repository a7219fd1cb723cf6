package airgap_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

func platforms(all ...lock.Child) []platform.Platform {
	var list []platform.Platform
	for _, c := range all {
		list = append(list, c.Platform)
	}
	return list
}

// manifest returns manifest.json of a bundle.
func manifest(t *testing.T, path string) string {
	t.Helper()
	for _, e := range bundletest.Entries(t, path) {
		if e.Name == "manifest.json" {
			return string(e.Data)
		}
	}
	t.Fatalf("%s has no manifest.json", path)
	return ""
}

// TestEveryName packs an image that has several names: the bundle, its list, docker's manifest.json
// and the scripts for nodes have them all, and it is extracted by each.
func TestEveryName(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	named(l)
	dir := t.TempDir()
	targets := bundletest.Targets(t)
	files := bundletest.Pack(t, st, l, dir, targets...)
	const name = "slipway.local/demo/agent:"
	index, linux := l.Images[0].Digest, l.Images[0].Children[0].Digest
	want := map[string]string{ // the digest by name
		name + "1.2.3": index.String(), name + "1.2.3-again": index.String(),
		name + "latest": index.String(), name + "1.2.3-linux-amd64": linux.String(),
	}
	scripts, err := airgap.Scripts(l.Name, l.Version, targets, files)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []bundle.File{files[0], files[2], files[len(files)-1]} { // linux/amd64, ltsc2019, all
		b := bundletest.Opened(t, f.Path)
		docker := manifest(t, f.Path)
		windows := b.Contents().Platform.OS == platform.Windows
		list, err := os.ReadFile(f.List)
		if err != nil {
			t.Fatal(err)
		}
		for ref, digest := range want {
			if windows && strings.HasSuffix(ref, "-linux-amd64") {
				if _, err := b.Contents().Find(ref); err == nil {
					t.Errorf("%s has %s", f.Path, ref)
				}
				continue
			}
			i, err := b.Contents().Find(ref)
			if err != nil || i.Digest().String() != digest || i.Floating != strings.HasSuffix(ref, ":latest") {
				t.Errorf("%s: %s is %+v: %v", f.Path, ref, i, err)
			}
			if !slices.Contains(strings.Split(string(list), "\n"), ref) {
				t.Errorf("%s lacks %s:\n%s", f.List, ref, list)
			}
			if b.Contents().Platform.OS != "" && !strings.Contains(docker, `"RepoTags":["`+ref+`"]`) {
				t.Errorf("manifest.json of %s lacks %s: %s", f.Path, ref, docker)
			}
			out := filepath.Join(t.TempDir(), "image")
			x, err := b.Extract(t.Context(), ref,
				bundle.ExtractOptions{To: out, Platform: platforms(l.Images[0].Children[0])[0]})
			if windows != (err != nil) || !windows && (x.Name != ref || x.Digest != linux) {
				t.Errorf("extracting %s of %s: %+v, %v", ref, f.Path, x, err)
			}
		}
	}
	for _, s := range scripts {
		for ref, digest := range want {
			line := ref + " slipway.local/demo/agent@" + digest
			if strings.HasSuffix(s.Name, ".ps1") {
				line = strings.Replace(line, " ", "'; Reference = '", 1)
			}
			if has := bytes.Contains(s.Data,
				[]byte(line)); has == (s.Name == "load-images.ps1" && digest == linux.String()) {
				t.Errorf("%s has %q: %t", s.Name, line, has)
			}
		}
	}
	if _, err := airgap.MirrorConfig([]*bundle.Contents{files[0].Contents},
		airgap.MirrorOptions{To: "registry.internal/mirror"}); err != nil {
		t.Error(err)
	}
}
