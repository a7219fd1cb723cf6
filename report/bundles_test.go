package report_test

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestSparseBundles: a bundle of a group is compared with the complete one of the group to which it
// adds, and a sparse one for all platforms is pushed with what completes it.
func TestSparseBundles(t *testing.T) {
	r := made(t, 3, "1.0.0", "linux/amd64")
	r.Lock.Groups = []lock.Group{{Name: "base"}, {Name: "core", AddsTo: "base"}, {Name: "more", AddsTo: "core"}}
	all := r.Contents.Images
	of := func(name, group string, needs *bundle.Needs, images ...bundle.Image) bundle.File {
		return bundle.File{Path: name + ".tar.zst", Size: 1e6, Contents: &bundle.Contents{
			Groups: []string{group}, Needs: needs, Images: images,
		}}
	}
	var layers []v1.Hash
	for _, l := range (&bundle.Contents{Images: all[:2]}).AllLayers() {
		layers = append(layers, l.Digest)
	}
	r.Bundles = []bundle.File{
		of("core-sparse", "core", &bundle.Needs{Bundle: "base.tar.zst", Groups: []string{"base"}, Lacking: layers}, all[:2]...),
		of("core", "core", nil, all[:2]...),
		of("more", "more", &bundle.Needs{Bundle: "core.tar.zst", Groups: []string{"core"}, Lacking: layers}, slices.Clone(all[:2])...),
	}
	text := write(t, r, nil)
	wants(t, text, "slipway airgap push core.tar.zst more.tar.zst -to=registry.internal/mirror",
		"slipway airgap push core.tar.zst -to=registry.internal/mirror", "0 images, 0 B to core, without which it does not load")
	if strings.Contains(text, "push more.tar.zst") {
		t.Error("the sparse bundle is pushed alone")
	}
}

// TestLoads: the page names the flags without which a bundle of a snapshot is not loaded, and those
// that verify a signed one.
func TestLoads(t *testing.T) {
	for kind, want := range map[string][]string{
		"unsigned": {"-to=registry.internal/mirror<", ">./load-images.sh<", `>.\load-images.ps1<`},
		"snapshot": {
			"-to=registry.internal/mirror -snapshot<", ">SNAPSHOT=yes ./load-images.sh<", `>.\load-images.ps1 -Snapshot<`,
		},
		"signed": {
			"-to=registry.internal/mirror -key=/etc/slipway/keys/release.pub<",
			">KEY=/etc/slipway/keys/release.pub ./load-images.sh<", `>.\load-images.ps1 -Key C:\slipway\keys\release.pub<`,
		},
	} {
		r := made(t, 3, "1.0.0", "linux/amd64")
		r.Bundles = nil
		if kind == "signed" {
			r.Keys = []string{"SHA256:abc"}
		}
		for _, of := range []string{"", "linux", "windows"} {
			c := *r.Contents
			c.Snapshot, c.Platform = kind == "snapshot", platform.Platform{OS: of}
			r.Bundles = append(r.Bundles, bundle.File{Path: of + ".tar.zst", Size: 1e6, Contents: &c})
		}
		wants(t, write(t, r, nil), want...)
	}
}
