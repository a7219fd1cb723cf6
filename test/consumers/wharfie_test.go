package consumers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/rancher/wharfie/pkg/tarfile"
	"github.com/sirupsen/logrus"
)

// TestWharfie looks every image up as RKE2 does before its runtime runs: by tag, in a directory
// of archives, from the image whose layers come first in the archive to the one whose layers come
// last, and names that are not there.
func TestWharfie(t *testing.T) {
	t.Parallel()
	version := module(t, "wharfie (RKE2)", "go.mod", "github.com/rancher/wharfie")
	each(t, func(t *testing.T, r release, b packedBundle) {
		dir := t.TempDir()
		if err := os.Symlink(b.path, filepath.Join(dir, filepath.Base(b.path))); err != nil {
			t.Fatal(err)
		}
		images := r.images(t, b)
		var s sight
		for _, i := range images {
			t.Run(filepath.Base(i.name), func(t *testing.T) {
				ref, err := name.NewTag(i.name)
				if err != nil {
					t.Fatal(err)
				}
				img, err := tarfile.FindImage(dir, ref)
				child, ok := i.child(t, b.target())
				switch {
				case i.children != nil && !ok:
					if !errors.Is(err, tarfile.ErrNotFound) {
						t.Errorf("found, though the image has no %v", b.target())
					}
					return
				case err != nil:
					t.Fatal(err)
				case i.children == nil:
					return
				}
				config, err := img.ConfigName()
				if err != nil || config != child.Config {
					t.Errorf("configuration %s, the lock has %s: %v", config, child.Config, err)
				}
				s.name(t, i, b.target(), config.String(), "")
				s.has(child.Platform.String())
				layers, err := img.Layers()
				if err != nil {
					t.Fatal(err)
				}
				var content int64
				for n, l := range layers {
					size, err := l.Size()
					if err != nil {
						t.Fatal(err)
					}
					content += size
					if n == 0 || n == len(layers)-1 {
						whole(t, l)
					}
				}
				if content != child.LayerBytes && !plain(t, layers) {
					t.Errorf("layers of %d bytes, the lock has %d", content, child.LayerBytes)
				}
			})
		}
		for _, miss := range []string{r.lock.Images[0].Repository + ":other", "registry.invalid/none:1"} {
			ref, err := name.NewTag(miss)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tarfile.FindImage(dir, ref); !errors.Is(err, tarfile.ErrNotFound) {
				t.Errorf("%s: error %v, want that there is none", miss, err)
			}
		}
		s.record(t, version, "tarfile.FindImage(DIRECTORY, IMAGE)", r, b)
	})
}

// whole reads a layer to its end and checks its content.
func whole(t *testing.T, l v1.Layer) {
	t.Helper()
	want, err := l.DiffID()
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want.Hex {
		t.Errorf("the content of layer %s has the digest %s", want, got)
	}
}

// plain says whether layers are not compressed. Such layers wharfie compresses itself, so that
// their sizes are its own.
func plain(t *testing.T, layers []v1.Layer) bool {
	t.Helper()
	mt, err := layers[0].MediaType()
	if err != nil {
		t.Fatal(err)
	}
	return mt == types.DockerLayer
}

// RKE2's reader reports every lookup.
func init() { logrus.SetLevel(logrus.WarnLevel) }
