package consumers

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// manyNames packs a signed image with two tags, one for a platform, and one that floats, and
// another one in the same repository. It returns the bundle for linux/amd64, what each name
// stands for, and what programs with IDs may say: the digest of the configuration, the manifest
// or the index.
func manyNames(t *testing.T) (b packedBundle, digests map[string]string, ids map[string][]string) {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const repository = "slipway.local/sig-storage/smbplugin"
	linux := parse(t, "linux/amd64")
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Release: lock.Release{
		Name: "names", Version: "v1",
		Registry: "slipway.local", Created: time.Unix(1700000000, 0).UTC(),
	}}
	for _, name := range []string{"smbplugin", "hostprocess"} {
		l.Images = append(l.Images, storetest.Index(t, st, name,
			storetest.Child{Platform: linux, Layers: []v1.Layer{storetest.Layer(t, name, name, 1000)}},
			storetest.Child{
				Platform: parse(t, "linux/arm64"),
				Layers:   []v1.Layer{storetest.Layer(t, name, name+" on arm64", 1000)},
			}))
	}
	plugin, other := &l.Images[0], &l.Images[1]
	child := plugin.Children[0]
	plugin.Repository, plugin.Tags = repository, []string{"v1", "v1-full"}
	plugin.PlatformTags = []lock.PlatformTag{{
		Tag: "v1-linux-amd64", Platforms: []platform.Platform{linux},
		MediaType: child.MediaType, Digest: child.Digest, Size: child.Size,
	}}
	plugin.FloatingTags = []lock.FloatingTag{{Tag: "latest", Repository: repository}}
	other.Repository, other.Tags = repository, []string{"v1-windows-hp"}
	bundletest.Prove(t, st, l, bundletest.Key(t))
	files, _, err := airgap.Pack(t.Context(), st, l, []airgap.Target{
		{Name: "names-images.linux-amd64", Platform: linux},
		{Name: "all"},
	}, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	digests, ids = map[string]string{}, map[string][]string{}
	for _, i := range l.Images {
		for _, n := range i.Names() {
			digests[n.Reference] = n.Desc.Digest.String()
			ids[n.Reference] = []string{i.Children[0].Config.String(), i.Children[0].Digest.String(), i.Digest.String()}
		}
	}
	return packedBundle{path: filepath.Clean(files[0].Path), platform: linux}, digests, ids
}

// testNames imports a bundle whose images have several names: containerd has them all.
func (c containerd) testNames(t *testing.T) {
	b, want, _ := manyNames(t)
	args := []string{"images", "import", "--no-unpack", "--platform", b.platform.String()}
	var out string
	var err error
	if c.newer {
		out, err = c.run(t.Context(), "names", append(args, b.path)...)
	} else {
		out, err = pipe(t,
			b, c.ctr, append([]string{"--address", c.socket, "--namespace", "names"}, append(args, "-")...)...)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := c.names(t, "names"); !maps.Equal(got, want) {
		t.Errorf("containerd has %v, want %v", got, want)
	}
}

// testNames loads a bundle whose images have several names: the program knows them all.
func (l loader) testNames(t *testing.T) {
	t.Helper()
	b, _, want := manyNames(t)
	if out, err := pipe(t, b, l.program, l.args("load")...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if id := l.id(t, name); !slices.Contains(want[name], id) {
			t.Errorf("%s says that %s is %q, want one of %v", l.program, name, id, want[name])
		}
		if out, err := l.say(t.Context(), "image", "rm", "--force", name); err != nil {
			t.Fatalf("%s\n%s", err, out)
		}
	}
}
