package oci

import (
	"crypto/sha256"
	"encoding/json"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Empty is the configuration of an artifact, which needs none
// (https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidance-for-an-empty-descriptor).
const Empty = "{}"

// EmptyConfig describes [Empty].
func EmptyConfig() v1.Descriptor {
	h := sha256.New()
	h.Write([]byte(Empty))
	return v1.Descriptor{MediaType: "application/vnd.oci.empty.v1+json", Digest: Sum(h), Size: int64(len(Empty))}
}

// MakeArtifact returns the manifest of an artifact of a type, whose configuration is [Empty], and
// which refers to subject, unless that is nil
// (https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidelines-for-artifact-usage).
// Equal arguments give equal bytes.
func MakeArtifact(kind string, layers []v1.Descriptor, subject *v1.Descriptor,
	annotations map[string]string,
) ([]byte, error) {
	return json.Marshal(struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     types.MediaType   `json:"mediaType"`
		ArtifactType  string            `json:"artifactType"`
		Config        v1.Descriptor     `json:"config"`
		Layers        []v1.Descriptor   `json:"layers"`
		Subject       *v1.Descriptor    `json:"subject,omitempty"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}{2, types.OCIManifestSchema1, kind, EmptyConfig(), layers, subject, annotations})
}

// IsOther reports whether a manifest that an index lists is not an image, such as a chart, an
// SBOM or an index of SOCI: its configuration is not that of an image, or its descriptor has the
// type of an artifact. Some clients write the type of an image's configuration there.
func (t *Tree) IsOther() bool {
	kind := types.MediaType(t.Desc.ArtifactType)
	return kind != "" && !kind.IsConfig() || t.Config != nil && !t.Config.MediaType.IsConfig()
}
