package oci

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// Referrer describes an artifact that refers to an image, such as a signature, an attestation or
// an SBOM
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers).
type Referrer struct {
	ArtifactType string          `json:"artifactType"`
	MediaType    types.MediaType `json:"mediaType"`
	Digest       v1.Hash         `json:"digest"`
	Size         int64           `json:"size"` // of its manifest in bytes
	// Subject is the document that it refers to, if that is not the image itself but a child of its
	// index or another referrer.
	Subject v1.Hash `json:"subject,omitzero"`
	// Tag is the tag that finds it, if its manifest has no subject: sha256-HEX.sig, .att or .sbom
	// of cosign.
	Tag string `json:"tag,omitempty"`
}

// CheckTag checks that the tag, if there is one, is a tag of cosign: no other may name a referrer.
func (r Referrer) CheckTag() error {
	if r.Tag != "" && !imagename.IsCosignTag(r.Tag) {
		return fmt.Errorf("referrer %s: %.200q is not a tag of cosign", r.Digest, r.Tag)
	}
	return nil
}

// Descriptor returns the descriptor of the referrer's manifest, as the referrers API lists it.
func (r Referrer) Descriptor() v1.Descriptor {
	return v1.Descriptor{MediaType: r.MediaType, Digest: r.Digest, Size: r.Size, ArtifactType: r.ArtifactType}
}

// ReferringTo returns those of all that refer to the image or to one of its children, directly or
// through another referrer. A referrer must come behind its subject. The referrer of an element
// of all is what get returns.
func ReferringTo[E any](all []E, get func(E) Referrer, image v1.Hash, children ...v1.Hash) []E {
	subjects := map[v1.Hash]bool{{}: true, image: true}
	for _, h := range children {
		subjects[h] = true
	}
	var list []E
	for _, e := range all {
		if r := get(e); subjects[r.Subject] {
			subjects[r.Digest] = true
			list = append(list, e)
		}
	}
	return list
}
