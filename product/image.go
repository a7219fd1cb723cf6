package product

import (
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Destination is a registry that the release is published to.
type Destination struct {
	Name     string // in slipway.yaml; "" if it is not there
	Registry string // host[/prefix]
}

// Image is one image of the product.
type Image struct {
	Name string
	// Version is the product's, unless the image has one of its own.
	Version string
	// Repositories are paths under the registries of Destinations, in their order. A snapshot
	// has one.
	Repositories []string
	// Elsewhere are its repositories, with the registry, at the destinations of slipway.yaml that
	// are not selected. Templates of release.yaml may name the image by them.
	Elsewhere []string
	Tags      []string // at least one; they name this release for ever
	// FloatingTags are those that this release may move.
	FloatingTags []string
	PlatformTags []PlatformTag
	Description  string
	// Source names the source whose URL, revision and licenses label the image.
	Source    string
	Platforms []platform.Platform // the product's platforms that this image is for, sorted
	// Bases maps an operating system to the name of a Base; FROM in a Dockerfile may name a base,
	// too.
	Bases       map[string]string
	Labels      map[string]string
	Compression string // "gzip" (the default) or "zstd"
	// AllowOtherPlatforms are patterns of [path.Match] for files, or directories above them, that
	// may be programs for other platforms.
	AllowOtherPlatforms []string
	// AllowLibraries are patterns of [path.Match] for the names of shared libraries that
	// the image may lack, or have without use.
	AllowLibraries []string
	Pos            yamlfile.Pos // of the name

	// Prebuilt are the platforms whose image another builder made, in the order of Platforms.
	Prebuilt []PrebuiltImage

	// Kind is the field of slipway.yaml that describes the image, such as "go". Content is the
	// type of that kind: a *[GoImage], *[DockerfileImage], *[LifecycleImage] or *[OnlyPrebuilt].
	Kind    string
	Content Content
}

// PlatformTag is a tag for some platforms of an image.
type PlatformTag struct {
	Tag       string
	Platforms []platform.Platform // of the image, sorted
}
