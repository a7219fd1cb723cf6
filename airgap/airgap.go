// Package airgap packs images into bundles for machines without a network, and reads such bundles.
//
// A bundle is NAME.tar.zst, with NAME.txt beside it: one tagged image name per line, the form
// that k3s reads as a pull list. It is an OCI image layout and a docker-archive at once, so that
// RKE2 and k3s, containerd, docker, podman and skopeo all take it:
//
//	manifest.json       the docker-archive view: one target platform, for RKE2's lookup by tag and for docker load
//	oci-layout          https://github.com/opencontainers/image-spec/blob/main/image-layout.md
//	index.json          every image under its tagged name, and what the bundle says of itself
//	blobs/sha256/HEX    all indexes, manifests and configurations, in the order of the list
//	blobs/sha256/HEX    all layers, in the order of the list
//
// What refers to an image, such as a signature, stands in index.json behind all images and
// without a name; its blobs come last in the head, and last among the layers.
//
// Everything before the first layer is the head: who wants to know what is inside reads that far
// and no farther ([Inspect]).
//
// A bundle for one platform keeps the index of every image, byte for byte, but holds only those
// of its manifests that such a node runs. The index is sparse then, and repository@sha256:… as
// release.yaml pins it still resolves. Manifests that containerd on such a node reads as well, to
// choose among them, are there bare: without configuration and layers. The bundle for all
// platforms holds complete indexes.
//
// The archive is compressed as independent zstd frames: the head begins one, and so does every
// layer. Layers that are compressed already are stored in them. A seek table in the format of
// zstd's contrib/seekable_format stands at the end, in a skippable frame, which readers that do
// not know it pass over. No frame needs a window above 8 MiB; RKE2's decoder allows 32.
package airgap

import (
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/slipway-dev/slipway/platform"
)

// Format is the newest bundle format that this code writes and reads; index.json has it as an
// annotation. In 2 an image may have bare manifests; a bundle without them is of format 1.
const Format = formatBare

// formatBare is the format since which there are bare manifests.
const formatBare = 2

// Annotations on index.json, which describe the bundle.
const (
	annotationFormat  = "dev.slipway.bundle.format"
	annotationName    = "dev.slipway.bundle.product"
	annotationVersion = "dev.slipway.bundle.version"
	// absent where the bundle is for all platforms
	annotationPlatform = "dev.slipway.bundle.platform"
	annotationSnapshot = "dev.slipway.bundle.snapshot" // "true": the names exist in the embedded registry only
	annotationStandIn  = "dev.slipway.bundle.stand-in" // "true": an image stands on a base that cannot run
	annotationLeftOut  = "dev.slipway.bundle.left-out" // a JSON list of LeftOut
	annotationEntries  = "dev.slipway.bundle.head"     // how many blobs stand in the head
	// a JSON Delta; such a bundle lacks layers that its base has
	annotationDelta   = "dev.slipway.bundle.delta"
	annotationVolume  = "dev.slipway.bundle.volume" // "1/3": a part of a bundle, by whole images
	annotationCreated = "org.opencontainers.image.created"
)

// Annotations on the images of index.json. The first is containerd's, the second is that of image
// layouts.
const (
	annotationImageName = "io.containerd.image.name"
	annotationRefName   = "org.opencontainers.image.ref.name"
	annotationReference = "dev.slipway.image.reference" // as images.txt has it
	// the bundle's platform, where the image has none for it
	annotationFallback = "dev.slipway.image.fallback"
	// digests of manifests of the index that are here without what they name
	annotationBare = "dev.slipway.image.bare"
)

// Image is one image of a bundle.
type Image struct {
	Name string `json:"name"` // registry/repository:tag, as the bundle names it
	// registry/repository@digest, as release.yaml pins it
	Reference string          `json:"reference"`
	MediaType types.MediaType `json:"mediaType"`
	// of the index, or of the manifest where there is no index
	Digest   v1.Hash `json:"digest"`
	Children []Child `json:"children"`
	// SharedBytes is the size of those layers, each once, that another image of the bundle has,
	// too.
	SharedBytes int64 `json:"sharedBytes"`
	// Missing are the platforms of the index that the bundle does not hold: their manifests are
	// not in it, or bare.
	Missing []platform.Platform `json:"missing,omitempty"`
	// Fallback is the bundle's platform where the image has none for it, and the child that the
	// bundle holds instead is of a Windows build that nodes of that platform run.
	Fallback platform.Platform `json:"fallback,omitzero"`
	// Referrers travel with the image: what refers to it, to its children here, or to another
	// referrer.
	Referrers []Referrer `json:"referrers,omitempty"`
}

// Child is one manifest of an image. Of an image without index the only child is the image itself.
type Child struct {
	Platform platform.Platform `json:"platform"` // on Windows with the full os.version
	Digest   v1.Hash           `json:"digest"`
	Config   v1.Hash           `json:"config"` // digest of the configuration, which docker calls the image ID
	Layers   []Layer           `json:"layers"`
}

// Layer is one layer of a child.
type Layer struct {
	MediaType types.MediaType `json:"mediaType"`
	Digest    v1.Hash         `json:"digest"`
	Size      int64           `json:"size"` // bytes as stored in the bundle's tar
}

// LeftOut is an image that a bundle does not hold.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// File is a bundle on disk.
type File struct {
	Path    string    // of the .tar.zst
	List    string    // path of the .txt beside it
	Size    int64     // bytes of the .tar.zst
	SHA256  string    // of the .tar.zst, in hex
	Images  []Image   // in the order of the list
	LeftOut []LeftOut // what the bundle does not hold, and why
	// Reused says that the file was there already, packed from the same inputs.
	Reused bool
}

// Contents is what the head of a bundle says.
type Contents struct {
	Format   int               `json:"format"`
	Product  string            `json:"product"`
	Version  string            `json:"version"`
	Created  time.Time         `json:"created"`
	Platform platform.Platform `json:"platform,omitzero"` // zero: all platforms
	Snapshot bool              `json:"snapshot"`
	StandIn  bool              `json:"standIn"`
	Images   []Image           `json:"images"`
	LeftOut  []LeftOut         `json:"leftOut,omitempty"`
	// Layers counts the layers, each once however many images share it; LayerBytes is their size.
	Layers     int   `json:"layers"`
	LayerBytes int64 `json:"layerBytes"`
	// Delta says what a delta builds on; nil for a bundle.
	Delta *Delta `json:"delta,omitempty"`
	// Volume is "1/3" for the first of three parts that a bundle was split into.
	Volume string `json:"volume,omitempty"`
	// Note says what is unusual about the file and does no harm.
	Note string `json:"note,omitempty"`
}
