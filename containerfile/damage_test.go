package containerfile_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// copyFrom builds an image that copies a file from another image, and returns the
// file from the built image.
func copyFrom(t *testing.T, st *store.Store, from v1.Image) ([]byte, error) {
	t.Helper()
	p := platform.Platform{OS: "linux", Architecture: "amd64"}
	r, err := containerfile.Build(t.Context(), containerfile.Input{
		File: "Dockerfile", Source: []byte("FROM scratch\nCOPY --from=other /etc/file /file\n"), Platform: p, Store: st,
		Base: func(context.Context, string, platform.Platform) (base.Base, error) {
			return base.Base{Image: from, Platform: p}, nil
		},
	})
	if err != nil {
		return nil, err
	}
	content, err := r.Layers[0].Entries[0].Content.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(content)
}

// TestDamagedLayer damages a layer that files are copied from, and its unpacked tar. The
// error must name the damaged file, whatever the decompressor reports. After the tar is
// repaired, the build makes the same bytes as before.
func TestDamagedLayer(t *testing.T) {
	st := storetest.Open(t)
	i := storetest.Index(t, st, "other", storetest.Child{
		Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
		Layers:   []v1.Layer{storetest.Layer(t, "etc/file", "seed", 5000)},
	})
	img, err := st.Image(i.Children[0].Digest)
	must(t, err)
	m, err := img.Manifest()
	must(t, err)
	want, err := copyFrom(t, st, img)
	must(t, err)
	remembered := []string{filepath.Join(st.Dir(), "cache"), filepath.Join(st.Dir(), "work")}

	tar, err := filepath.Glob(filepath.Join(st.Dir(), "work", "tar", "*"))
	must(t, err)
	for name, path := range map[string]string{"blob": st.Path(m.Layers[0].Digest), "tar": tar[0]} {
		sound, err := os.ReadFile(path)
		must(t, err)
		for what, b := range map[string][]byte{
			"empty": {}, "truncated": sound[:len(sound)/2],
			"flipped at the start": flip(sound, 520), "flipped in the middle": flip(sound, len(sound)/3),
			"flipped at the end": flip(sound, len(sound)-1),
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				must(t, os.WriteFile(path, b, 0o644))
				if name == "blob" {
					for _, dir := range remembered {
						must(t, os.RemoveAll(dir))
						must(t, os.Mkdir(dir, 0o755))
					}
				}
				got, err := copyFrom(t, st, img)
				var damaged *store.DamagedError
				if err != nil && (!errors.As(err, &damaged) || damaged.Path != path) {
					t.Errorf("the error does not name %s: %v", path, err)
				}
				if err == nil && string(got) != string(want) {
					t.Error("other bytes came out")
				}
				if err == nil && name == "blob" {
					t.Error("the damage was not found")
				}
				if name == "tar" {
					_, err := st.Verify(t.Context(), store.VerifyOptions{Repair: true})
					must(t, err)
				} else {
					must(t, os.WriteFile(path, sound, 0o644))
				}
				if got, err := copyFrom(t, st, img); err != nil || string(got) != string(want) {
					t.Errorf("after the repair: %d bytes, %v", len(got), err)
				}
			})
		}
	}
}

// TestDiffIDOfOtherImage checks that an image cannot obtain the files of another image's layer
// by declaring that layer's diffID in its configuration.
func TestDiffIDOfOtherImage(t *testing.T) {
	st := storetest.Open(t)
	p := platform.Platform{OS: "linux", Architecture: "amd64"}
	i := storetest.Index(t,
		st, "other", storetest.Child{Platform: p, Layers: []v1.Layer{storetest.Layer(t, "etc/file", "evil", 5000)}})
	img, err := st.Image(i.Children[0].Digest)
	must(t, err)
	cf, err := img.ConfigFile()
	must(t, err)
	cf = cf.DeepCopy()
	cf.RootFS.DiffIDs[0], err = storetest.Layer(t, "etc/file", "good", 5000).DiffID()
	must(t, err)
	forged, err := mutate.ConfigFile(img, cf)
	must(t, err)
	if _, err := copyFrom(t, st, forged); err == nil ||
		!strings.Contains(err.Error(), "the image's configuration has") {
		t.Errorf("a configuration that lies: %v", err)
	}
}

func flip(b []byte, at int) []byte {
	b = append([]byte{}, b...)
	b[at] ^= 1
	return b
}
