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
	m := Manifest{Tree: t, Platform: platform.From(t.Desc.Platform)}
	if !t.Config.MediaType.IsConfig() || m.Platform.OS == "unknown" {
		_, err := get(*t.Config)
		return m, configError(t, err)
	}
	c, err := t.ReadConfig(get)
	if err != nil {
		return m, configError(t, err)
	}
	m.Runnable, m.DiffIDs = true, c.RootFS.DiffIDs
	return m, m.check(c)
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

// check compares what the index has of a manifest with its configuration, and completes the
// platform.
func (m *Manifest) check(c *v1.ConfigFile) error {
	has := platform.FromConfig(c)
	switch {
	case len(c.RootFS.DiffIDs) != len(m.Layers):
		return fmt.Errorf("manifest %s has %d layers, its configuration %d", m.Desc.Digest, len(m.Layers),
			len(c.RootFS.DiffIDs))
	case m.Desc.Platform == nil:
		m.Platform = has
		return nil
	case m.Platform.OSVersion == "":
		m.Platform.OSVersion = has.OSVersion
	}
	if p := m.Platform; !platform.Fits(p, has) || p.OS == platform.Windows && has.OSVersion != "" &&
		platform.Short(p.OSVersion) != platform.Short(has.OSVersion) {
		return fmt.Errorf("the index lists %s for %s, but the image is for %s", m.Desc.Digest, p, has)
	}
	return nil
}
