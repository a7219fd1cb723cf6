// Package oci reads and makes the documents that an image consists of: an index over manifests,
// the configuration and layers that a manifest lists, and its referrers.
//
// [Read] reads the documents of one image, from whatever a [Get] function reads: a store, a
// registry or a bundle. The result is a [Tree]. A [Reader] reads several images within one
// budget. Both enforce [Limits], because documents are often from a third party. [MakeIndex]
// makes an index.
//
// The formats are those of https://github.com/opencontainers/image-spec, and Docker's
// (https://distribution.github.io/distribution/spec/manifest-v2-2/), which differ in media types
// alone.
package oci

import (
	"iter"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// Presence states how much of a manifest is at hand.
type Presence int

const (
	// Included is a document that was read. What it lists is expected to be at hand as well.
	Included Presence = iota
	// ManifestOnly is a document whose bytes are at hand, without its configuration and layers.
	// The bytes are not parsed: Config, Layers and Children are empty.
	ManifestOnly
	// Absent is a document of which only the descriptor in its parent index is known.
	Absent
)

// Tree is an index with everything below it, or a single manifest.
type Tree struct {
	// Desc describes the document. Its Platform is that given by the parent index, or nil. Its
	// MediaType is that of the document itself, where that gives one.
	Desc     v1.Descriptor
	Presence Presence
	Raw      []byte // the document, byte for byte; nil if it is absent

	Children []*Tree // of an index, in its order

	Config *v1.Descriptor  // of a manifest; nil for an index
	Layers []v1.Descriptor // of a manifest

	Subject     *v1.Descriptor // what the document refers to, or nil
	Annotations map[string]string

	artifactType string
}

// All yields every document of the tree, children before the index that lists them. A document
// that is listed twice is yielded twice.
func (t *Tree) All() iter.Seq[*Tree] {
	return func(yield func(*Tree) bool) { t.visit(yield) }
}

func (t *Tree) visit(yield func(*Tree) bool) bool {
	for _, c := range t.Children {
		if !c.visit(yield) {
			return false
		}
	}
	return yield(t)
}

// Blobs returns the blobs of a manifest: its configuration, then its layers. An index does not
// list blobs.
func (t *Tree) Blobs() []v1.Descriptor {
	if t.Config == nil {
		return nil
	}
	return append([]v1.Descriptor{*t.Config}, t.Layers...)
}

// Digests returns the digests of all documents, each once, the tree's own first.
func (t *Tree) Digests() []v1.Hash {
	all := []v1.Hash{t.Desc.Digest}
	for c := range t.All() {
		if !slices.Contains(all, c.Desc.Digest) {
			all = append(all, c.Desc.Digest)
		}
	}
	return all
}

// ReferenceDigest is the annotation by which an attestation of BuildKit in an index names the
// manifest that it is about
// (https://docs.docker.com/build/metadata/attestations/attestation-storage/).
const ReferenceDigest = "vnd.docker.reference.digest"

// IsAttestation reports whether an index lists d for something that does not run on any platform,
// such as a provenance of BuildKit, which has the platform unknown/unknown.
func IsAttestation(d v1.Descriptor) bool {
	return !platform.From(d.Platform).IsImage()
}

// Platforms returns the platforms that the images of the tree are listed for, sorted, each once.
// A manifest that is not of an image does not have platforms.
func (t *Tree) Platforms() []platform.Platform {
	var all []platform.Platform
	for c := range t.All() {
		p := platform.From(c.Desc.Platform)
		if p.IsImage() && !c.Desc.MediaType.IsIndex() && !c.IsOther() && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	platform.Sort(all)
	return all
}

// ArtifactType returns the type of an artifact that is not an image: that named by the manifest,
// or else that of its configuration or of its first layer
// (https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidelines-for-artifact-usage).
func (t *Tree) ArtifactType() string {
	switch {
	case t.artifactType != "":
		return t.artifactType
	case t.Config != nil && t.Config.MediaType != "" && !t.Config.MediaType.IsConfig():
		return string(t.Config.MediaType)
	case len(t.Layers) > 0:
		return string(t.Layers[0].MediaType)
	}
	return ""
}

// IsArtifact reports whether a manifest is that of an artifact: it has a type or a subject, or its
// configuration is not that of an image.
func (t *Tree) IsArtifact() bool {
	return t.Config != nil && (t.artifactType != "" || t.Subject != nil || !t.Config.MediaType.IsConfig())
}

// PlatformName names a manifest of an index in messages: by its platform, or by its digest if it
// is an attestation.
func PlatformName(d v1.Descriptor) string {
	if IsAttestation(d) {
		return d.Digest.String()
	}
	return platform.From(d.Platform).String()
}
