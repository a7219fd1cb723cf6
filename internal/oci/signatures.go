package oci

import (
	"bytes"
	"encoding/json"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// SimpleSigning is the media type of a layer with the payload of a signature, whose annotation
// SignatureKey has the signature itself in base64
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md).
const (
	SimpleSigning types.MediaType = "application/vnd.dev.cosign.simplesigning.v1+json"
	SignatureKey  string          = "dev.cosignproject.cosign/signature"
)

// MakeSignatures returns the manifest of a list of signatures, in the form that cosign keeps
// under the tag sha256-HEX.sig, and its configuration. Equal layers give equal bytes.
func MakeSignatures(layers []v1.Descriptor) (manifest, config []byte, err error) {
	c := v1.ConfigFile{RootFS: v1.RootFS{Type: "layers"}}
	for _, l := range layers {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, l.Digest)
	}
	if config, err = json.Marshal(c); err != nil {
		return nil, nil, err
	}
	h, size, err := v1.SHA256(bytes.NewReader(config))
	if err != nil {
		return nil, nil, err
	}
	manifest, err = json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1,
		Config: v1.Descriptor{MediaType: types.OCIConfigJSON, Digest: h, Size: size}, Layers: layers,
	})
	return manifest, config, err
}
