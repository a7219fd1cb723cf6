package oci

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/platform"
)

// MakeIndex returns the bytes of an OCI image index
// (https://github.com/opencontainers/image-spec/blob/main/image-index.md) over children, whose
// descriptors must have a platform. Children are sorted by [platform.Compare]: Linux first, then
// Windows, newest first. Two children for one platform are an error, and so is a Windows child
// without a complete os.version. Equal children and annotations give equal bytes.
func MakeIndex(children []v1.Descriptor, annotations map[string]string) ([]byte, error) {
	m := v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{},
		Annotations: annotations,
	}
	for _, c := range children {
		if c.Platform == nil {
			return nil, fmt.Errorf("making index: child %s has no platform", c.Digest)
		}
		if v := c.Platform.OSVersion; c.Platform.OS == platform.Windows && strings.Count(v, ".") != 3 {
			return nil, fmt.Errorf("making index: Windows child %s has os.version %q, not the four parts of its base's",
				c.Digest, v)
		}
		for _, other := range m.Manifests {
			if platform.Same(platform.From(other.Platform), platform.From(c.Platform)) {
				return nil, fmt.Errorf("making index: two children for %s", platform.From(c.Platform))
			}
		}
		m.Manifests = append(m.Manifests,
			v1.Descriptor{MediaType: c.MediaType, Size: c.Size, Digest: c.Digest, Platform: c.Platform})
	}
	slices.SortStableFunc(m.Manifests, func(a, b v1.Descriptor) int {
		return platform.Compare(platform.From(a.Platform), platform.From(b.Platform))
	})
	return json.Marshal(m)
}
