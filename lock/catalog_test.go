package lock_test

import (
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// TestResolve resolves references to the images of a lock in every form, valid and invalid.
func TestResolve(t *testing.T) {
	hex := func(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }
	l := &lock.Lock{
		Images: []lock.Image{
			{
				Name: "app", Repository: "ghcr.io/me/app", Tags: []string{"1"},
				Digest: hex("a"),
				Children: []lock.Child{
					{Platform: platform.Platform{OS: "linux", Architecture: "amd64"}},
					{Platform: platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"}},
				},
			},
			{
				Name: "lifecycle", Repository: "ghcr.io/me/lifecycle", Tags: []string{"1"}, Digest: hex("b"),
				Children: []lock.Child{{
					Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
					ExtraOS:  []string{"linux", "windows"},
				}},
			},
			{Name: "unpublished", Digest: hex("c")},
		},
		ThirdParty: []lock.ThirdParty{
			{
				Reference: "busybox:1.36", Digest: hex("d"),
				Platforms: []platform.Platform{{OS: "linux", Architecture: "amd64"}},
			},
			{Reference: "quay.io/offline/tool:1", Omitted: "no network"},
			{
				Reference: "quay.io/offline/tool:2",
				Digest:    hex("f"), Platforms: []platform.Platform{{OS: "windows", Architecture: "amd64"}},
			},
		},
	}
	images := l.Catalog()
	if len(images) != 5 {
		t.Fatalf("%d images are known, want the 5 that have names: %v", len(images), images)
	}
	at := func(c string) string { return "@sha256:" + strings.Repeat(c, 64) }
	for _, tt := range []struct {
		ref   string
		name  string // of the image; "" if there is a fault
		fault lock.Fault
		what  string
	}{
		{"ghcr.io/me/app" + at("a"), "app", lock.NoFault, ""},
		{"busybox" + at("d"), "busybox:1.36", lock.NoFault, ""},
		{"docker.io/library/busybox" + at("d"), "busybox:1.36", lock.NoFault, ""},
		{"quay.io/offline/tool" + at("e"), "quay.io/offline/tool:1", lock.NoFault, ""},
		{"quay.io/offline/tool" + at("f"), "quay.io/offline/tool:2", lock.NoFault, ""},
		{"", "", lock.Malformed, "the image is empty"},
		{"A B", "", lock.Malformed, `"A B" is not an image reference`},
		{
			"ghcr.io/me/app:${TAG}", "", lock.Malformed,
			`"ghcr.io/me/app:${TAG}" has a variable that Kubernetes does not replace here: replace it first`,
		},
		{
			"ghcr.io/me/app:1",
			"", lock.Unpinned, "ghcr.io/me/app:1 is not pinned by digest: write ghcr.io/me/app" + at("a"),
		},
		{"quay.io/offline/tool", "", lock.Unpinned, "write repository@sha256:…"},
		{"nginx", "", lock.Unpinned, "write repository@sha256:…"},
		{"ghcr.io/me/app:1" + at("a"), "", lock.TagAndDigest, "write ghcr.io/me/app" + at("a")},
		{
			"ghcr.io/me/app" + at("b"), "", lock.OtherDigest,
			"another digest than the lock: write ghcr.io/me/app" + at("a"),
		},
		{"nginx" + at("a"), "", lock.Unknown, "neither the product nor images.txt has the image"},
	} {
		k, fault, what := images.Resolve(tt.ref)
		if k.Name != tt.name || fault != tt.fault || !strings.Contains(what, tt.what) ||
			(what == "") != (fault == lock.NoFault) {
			t.Errorf("%q: %q, %v, %q, want %q, %v, %q", tt.ref, k.Name, fault, what, tt.name, tt.fault, tt.what)
		}
	}
	for _, tt := range []struct {
		n              int
		linux, windows bool
	}{{0, true, true}, {1, true, true}, {2, true, false}, {3, true, true}} {
		if k := images[tt.n]; k.Runs("linux") != tt.linux || k.Runs("windows") != tt.windows {
			t.Errorf("%s runs on linux: %t, on windows: %t", k.Name, k.Runs("linux"), k.Runs("windows"))
		}
	}
}
