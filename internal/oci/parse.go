package oci

import (
	"encoding/json"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/outcome"
)

// document has the fields of an index and of a manifest.
type document struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     types.MediaType   `json:"mediaType"`
	ArtifactType  string            `json:"artifactType"`
	Manifests     []v1.Descriptor   `json:"manifests"`
	Config        *v1.Descriptor    `json:"config"`
	Layers        []v1.Descriptor   `json:"layers"`
	Subject       *v1.Descriptor    `json:"subject"`
	Annotations   map[string]string `json:"annotations"`
	FSLayers      json.RawMessage   `json:"fsLayers"` // of Docker's schema 1
}

// Parse reads one document that d describes: an index, whose children are [Absent] in the result,
// or a manifest. Where d has no size or media type, they are those of the document.
//
// Every error is about the document ([outcome.Broken]).
func Parse(d v1.Descriptor, raw []byte) (*Tree, error) {
	t, err := parse(d, raw)
	return t, outcome.Damage(err)
}

func parse(d v1.Descriptor, raw []byte) (*Tree, error) {
	if err := checkSize("manifest", d, raw); err != nil {
		return nil, err
	}
	if d.Size = int64(len(raw)); d.Size > MaxManifest {
		return nil, TooLarge("manifest", d, MaxManifest)
	}
	var doc document
	if err := Decode("manifest "+d.Digest.String(), raw, &doc, MaxValues); err != nil {
		return nil, err
	}
	d.MediaType = doc.mediaType(d.MediaType)
	if why := doc.ambiguous(d.MediaType); why != "" {
		return nil, fmt.Errorf("manifest %s %s, which registries and containerd refuse: build the image anew",
			d.Digest, why)
	}
	t := &Tree{Desc: d, Raw: raw, Subject: doc.Subject, Annotations: doc.Annotations, artifactType: doc.ArtifactType}
	switch {
	case d.MediaType.IsIndex():
		for _, c := range doc.Manifests {
			t.Children = append(t.Children, &Tree{Desc: c, Presence: Absent})
		}
	case d.MediaType.IsImage() && doc.Config != nil:
		t.Config, t.Layers = doc.Config, doc.Layers
	default:
		return nil, fmt.Errorf("%s of type %.100q is neither an image manifest nor an index", d.Digest, d.MediaType)
	}
	for _, b := range t.Blobs() {
		if b.Size < 0 {
			return nil, fmt.Errorf("manifest %s: blob %s has a negative size", d.Digest, b.Digest)
		}
	}
	if t.Config != nil && t.Config.Size > MaxConfig {
		return nil, fmt.Errorf("manifest %s: %w", d.Digest, TooLarge("configuration", *t.Config, MaxConfig))
	}
	return t, nil
}

// mediaType is the document's own type, or the one it is described with. OCI's documents need not
// have any; the fields decide then. A configuration has a field config, too, but no
// schemaVersion.
func (doc *document) mediaType(described types.MediaType) types.MediaType {
	switch {
	case doc.MediaType != "":
		return doc.MediaType
	case described != "":
		return described
	case doc.SchemaVersion != 2:
	case doc.Manifests != nil:
		return types.OCIImageIndex
	case doc.Config != nil:
		return types.OCIManifestSchema1
	}
	return ""
}

// ambiguous returns why others would read a document in another way, as containerd looks for that
// (https://github.com/containerd/containerd/blob/main/core/images/image.go, validateMediaType); ""
// for a plain one.
func (doc *document) ambiguous(t types.MediaType) string {
	switch {
	case !t.IsIndex() && !t.IsImage():
	case doc.SchemaVersion != 2 && doc.SchemaVersion != 0:
		return fmt.Sprintf("has schemaVersion %d in place of 2", doc.SchemaVersion)
	case doc.FSLayers != nil:
		return "has the fsLayers of schema 1"
	case t.IsIndex() && (doc.Config != nil || doc.Layers != nil):
		return "is an index, and has the config or layers of an image"
	case t.IsImage() && doc.Manifests != nil:
		return "is of an image, and has the manifests of an index"
	}
	return ""
}

func checkSize(what string, d v1.Descriptor, raw []byte) error {
	if d.Size != 0 && d.Size != int64(len(raw)) {
		err := fmt.Errorf("%s %s has %d bytes, its descriptor says %d", what, d.Digest, len(raw), d.Size)
		return outcome.Damage(err)
	}
	return nil
}

// TooLarge is the error of a document that its descriptor lists with more bytes than are read.
func TooLarge(what string, d v1.Descriptor, limit int64) error {
	return outcome.Damage(fmt.Errorf("%s %s has %d bytes: it may have at most %d", what, d.Digest, d.Size, limit))
}
