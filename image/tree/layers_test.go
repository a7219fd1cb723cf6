package tree_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// TestUnlabeled: nodes unpack a layer by its media type where that says that it is not compressed.
func TestUnlabeled(t *testing.T) {
	_, img := sampleImage(t)
	b, diffIDs := onlyLayer(t, img)
	for mediaType, want := range map[types.MediaType]string{
		types.OCIUncompressedLayer: "it is compressed, and its media type says that it is not",
		types.OCILayer:             "",
	} {
		a := tree.NewArchives(storetest.Open(t), tree.Limits{})
		_, err := a.ReadLayers(t.Context(), []v1.Layer{static.NewLayer(b, mediaType)}, diffIDs, false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mediaType, err)
		}
	}
}

// TestWhole reads an image whose contents are wanted, too: its layer is then unpacked in the store,
// by the same reading that lists its files. A damaged layer leaves nothing.
func TestWhole(t *testing.T) {
	for _, whole := range []bool{false, true} {
		st, img := sampleImage(t)
		a := tree.NewArchives(st, tree.Limits{})
		a.Whole = whole
		if _, err := a.ReadImage(t.Context(), img); err != nil {
			t.Fatal(err)
		}
		unpacked, err := filepath.Glob(filepath.Join(st.Dir(), "work", "tar", "*"))
		if err != nil || (len(unpacked) == 1) != whole {
			t.Errorf("whole %t: %v, %v", whole, unpacked, err)
		}
		for _, path := range unpacked {
			if ok, err := st.ProveKept(t.Context(), path); !ok || err != nil {
				t.Errorf("%s is not what was kept: %v", path, err)
			}
		}

		st, img = sampleImage(t)
		m, err := img.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		path := st.Path(m.Layers[0].Digest)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2]++
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		a = tree.NewArchives(st, tree.Limits{})
		a.Whole = whole
		if _, err := a.ReadImage(t.Context(), img); err == nil {
			t.Errorf("whole %t: the damage was not found", whole)
		}
		if left, err := filepath.Glob(filepath.Join(st.Dir(), "work", "tar", "*")); len(left) > 0 || err != nil {
			t.Errorf("whole %t: %v are left, %v", whole, left, err)
		}
	}
}

// TestLook lists a layer while its blob is read for something else: then it is not read again. One
// that cannot be listed leaves nothing, and the reader stays with its owner.
func TestLook(t *testing.T) {
	st, img := sampleImage(t)
	whole, diffIDs := onlyLayer(t, img)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, blob := range [][]byte{whole[:len(whole)/2], z.EncodeAll(whole, nil)[:40], nil, []byte("no tar"), whole} {
		a := tree.NewArchives(st, tree.Limits{})
		rest := bytes.NewReader(blob)
		a.Look(t.Context(), rest, diffIDs[0])
		if _, err := io.ReadAll(rest); err != nil {
			t.Error(err)
		}
		m, err := img.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(st.Path(m.Layers[0].Digest)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_, err = a.ReadImage(t.Context(), img)
		if seen := len(blob) == len(whole); (err == nil) != seen {
			t.Errorf("%d bytes: %v", len(blob), err)
		}
	}
}

// onlyLayer returns the blob of the only layer of an image, and the digest of its tar.
func onlyLayer(t *testing.T, img v1.Image) (blob []byte, diffIDs []v1.Hash) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	r, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	blob, err = io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return blob, config.RootFS.DiffIDs
}

func sampleImage(t *testing.T) (*store.Store, v1.Image) {
	t.Helper()
	st := storetest.Open(t)
	i := storetest.Index(t, st, "sample", storetest.Child{
		Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
		Layers:   []v1.Layer{storetest.Layer(t, "etc/file", "seed", 5000)},
	})
	img, err := st.Image(i.Children[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return st, img
}
