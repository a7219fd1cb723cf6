package bundle

import (
	"errors"
	"fmt"
	"math"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// ReadImage reads the index or the manifest d, and the configurations of its manifests. A manifest
// that is for another platform than its index has it is an error: RKE2 once shipped a bundle for
// Windows Server 2025 with the image for 2022 inside.
func ReadImage(name string, d v1.Descriptor, r *oci.Reader) (Image, error) {
	i := Image{Name: name}
	r.Limits = oci.Limits{Depth: 1, References: math.MaxInt, Bytes: math.MaxInt64} // the decoder has its own
	var err error
	if i.Tree, err = r.Read(d); err != nil {
		return i, err
	}
	trees := []*oci.Tree{i.Tree}
	if i.Tree.Desc.MediaType.IsIndex() {
		trees = i.Tree.Children
	}
	for _, t := range trees {
		if !t.Desc.MediaType.IsImage() {
			return i, fmt.Errorf("index %s lists %s of type %.100q: a bundle has images only", d.Digest,
				t.Desc.Digest, t.Desc.MediaType)
		}
		m, err := readManifest(t, r.Get)
		if err != nil {
			return i, err
		}
		i.Manifests = append(i.Manifests, m)
	}
	return i, nil
}

// readManifest reads the configuration of a manifest that is included.
func readManifest(t *oci.Tree, get oci.Get) (Manifest, error) {
	if t.Presence != oci.Included {
		return without(t, t.Presence), nil
	}
	on := platform.From(t.Desc.Platform)
	m := Manifest{Tree: t, Platform: on, Key: on.Key()}
	if !t.Config.MediaType.IsConfig() || on.OS == "unknown" {
		_, err := get(*t.Config)
		return m, configError(t, err)
	}
	c, err := t.ReadConfig(get)
	if err != nil {
		return m, configError(t, err)
	}
	m.Runnable, m.DiffIDs = true, c.RootFS.DiffIDs
	if len(m.DiffIDs) != len(m.Layers) {
		return m, fmt.Errorf("manifest %s has %d layers, its configuration %d", m.Desc.Digest, len(m.Layers),
			len(m.DiffIDs))
	}
	var has platform.Platform
	var fit bool
	if m.Platform, has, fit = platform.OfManifest(m.Desc.Platform, c); !fit {
		return m, fmt.Errorf("the index lists %s for %s, but the image is for %s", m.Desc.Digest, m.Platform, has)
	}
	m.Key = m.Platform.Key()
	return m, nil
}

// isChart reports whether an image may be a chart: one manifest that lists an archive, and that no
// platform runs.
func (i Image) isChart() bool {
	return len(i.Tree.Layers) > 0 && len(i.Manifests) == 1 && !i.Manifests[0].Runnable
}

func configError(t *oci.Tree, err error) error {
	if errors.Is(err, oci.ErrAbsent) {
		return fmt.Errorf("configuration %s of manifest %s is not in the bundle", t.Config.Digest, t.Desc.Digest)
	}
	return err
}
