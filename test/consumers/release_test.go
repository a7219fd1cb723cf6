package consumers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// release is what consumers are given: a dist/ with its lock, which says what they must find.
type release struct {
	name string
	dir  string
	lock *lock.Lock
	runs []run
	demo bool // the small one, which is made here
}

// tagged is the name of the image that is to run.
func (r release) tagged(t *testing.T, run run) string {
	t.Helper()
	i, ok := r.lock.Image(run.image)
	if !ok {
		t.Fatalf("the release has no image %s", run.image)
	}
	return i.Tagged()
}

// bundle is the file name of a bundle by the end of its name.
func (r release) bundle(slug string) string { return r.lock.Name + "-images." + slug + ".tar.zst" }

// run is a Linux image that must start, and what its program says.
type run struct {
	image   string
	command []string // none: the image's own
	says    string
}

// packedBundle is one archive of a release.
type packedBundle struct {
	path     string
	platform platform.Platform // zero: all
	exact    bool              // the page names its Windows release
}

// target is the platform that its manifest.json lists.
func (b packedBundle) target() platform.Platform {
	if !b.platform.IsZero() {
		return b.platform
	}
	return platform.Platform{OS: platform.Linux, Architecture: "amd64"}
}

// image is what a consumer must find under a name.
type image struct {
	name     string
	digest   v1.Hash
	lock     lock.Image // zero for a third-party image
	children []lock.Child
	// platforms are those of a third-party image, whose manifests the lock does not name.
	platforms []platform.Platform
	single    bool // there is no index
}

// repository is the name without its tag.
func (i image) repository() string { return i.name[:strings.LastIndex(i.name, ":")] }

// child returns the image's manifest for a platform.
func (i image) child(t *testing.T, p platform.Platform) (lock.Child, bool) {
	t.Helper()
	for _, c := range i.children {
		if platform.Same(c.Platform, p) {
			return c, true
		}
	}
	return lock.Child{}, false
}

// releases are the demo and the release that `go tool mage test` cuts.
func releases(t *testing.T) []release {
	t.Helper()
	return []release{cutDemo(t), cutRelease(t)}
}

// each runs f for every bundle of the demo and of the release that `go tool mage test` cuts.
func each(t *testing.T, f func(*testing.T, release, packedBundle)) {
	t.Helper()
	for _, r := range releases(t) {
		paths, err := filepath.Glob(filepath.Join(r.dir, "*.tar.zst"))
		if err != nil || len(paths) < 2 {
			t.Fatalf("%s holds %d bundles: %v", r.dir, len(paths), err)
		}
		for _, path := range paths {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".tar.zst"), func(t *testing.T) {
				c, err := bundle.Inspect(path)
				if err != nil {
					t.Fatal(err)
				}
				b := packedBundle{path: path, platform: c.Platform}
				f(t, r, b)
			})
		}
	}
}

// cutRelease finds the release that was cut before the tests.
func cutRelease(t *testing.T) release {
	t.Helper()
	dir := os.Getenv("SLIPWAY_DIST")
	if dir == "" {
		t.Fatal("SLIPWAY_DIST does not name the release to test: run `go tool mage test`, which makes one first")
	}
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Images) == 0 {
		t.Fatalf("%s has no images: run `go tool mage test`, which makes one first", dir)
	}
	r := release{name: l.Name, dir: dir, lock: l}
	if l.Name == "kpack" {
		// Without a cluster both stop at once, each with its own complaint.
		r.runs = []run{
			{"controller", nil, "Error building kubeconfig"},
			{"build-waiter", nil, "need -execute with -mode=wait"},
		}
	}
	return r
}

// images returns what must be in a bundle, by the lock alone.
func (r release) images(t *testing.T, b packedBundle) []image {
	t.Helper()
	var all []image
	for _, i := range r.lock.Images {
		found := image{
			name: i.Tagged(), digest: i.Digest, lock: i, children: i.Children,
			single: !i.MediaType.IsIndex(),
		}
		if _, ok := found.child(t, b.target()); b.platform.IsZero() || ok && i.Kind != "lifecycle" {
			all = append(all, found)
		}
	}
	for _, i := range r.lock.ThirdParty {
		carried := slices.ContainsFunc(i.Platforms, func(p platform.Platform) bool {
			return platform.Runs(b.target(), p)
		})
		if i.Omitted == "" && (b.platform.IsZero() || carried) {
			all = append(all,
				image{name: tagged(t, i), digest: i.Digest, platforms: i.Platforms, single: !i.MediaType.IsIndex()})
		}
	}
	return all
}

// tagged is the name that containerd gives an image of images.txt.
func tagged(t *testing.T, i lock.ThirdParty) string {
	t.Helper()
	ref, _, hasDigest := strings.Cut(i.Reference, "@")
	tag, err := name.NewTag(ref)
	if err != nil {
		t.Fatal(err)
	}
	if hasDigest && !strings.Contains(ref[strings.LastIndex(ref, "/")+1:], ":") {
		tag = tag.Tag("sha256-" + i.Digest.Hex)
	}
	return strings.Replace(tag.Name(), name.DefaultRegistry, "docker.io", 1)
}

// TestList checks that the list next to a bundle has the names of its images and nothing else.
func TestList(t *testing.T) {
	each(t, func(t *testing.T, r release, b packedBundle) {
		var want strings.Builder
		for _, i := range r.images(t, b) {
			want.WriteString(i.name + "\n")
		}
		got, err := os.ReadFile(strings.TrimSuffix(b.path, ".tar.zst") + ".txt")
		if err != nil || string(got) != want.String() {
			t.Errorf("the list is %q, want %q: %v", got, want.String(), err)
		}
	})
}
