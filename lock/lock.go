// Package lock is release.lock.json: what a release consists of, by digest.
//
// It is the one thing besides the store that is handed from stage to stage and from run to run.
// Publish writes it; render, airgap and the operator's side read it. It imports no build code, so
// that the operator's binary can hold it.
package lock

import (
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// SchemaVersion is the format of locks.
const SchemaVersion = 1

// Name is the file's name in dist/.
const Name = "release.lock.json"

// Lock is one release, published and complete: every image has a name and a digest. Lists keep the order of slipway.yaml and images.txt; equal releases have
// equal bytes.
type Lock struct {
	SchemaVersion int    `json:"schemaVersion"`
	Name          string `json:"name"`    // the product's name
	Version       string `json:"version"` // the product's version
	// SOURCE_DATE_EPOCH or the newest source's commit time, UTC
	Created time.Time `json:"created"`
	// host[/prefix] that every repository below starts with
	Registry string `json:"registry"`
	// Go is the version of the Go toolchain that compiled the programs ("go1.26.8"): it is an
	// input like the sources.
	Go string `json:"go,omitempty"`
	// Snapshot says that no registry was named: the repositories exist in the embedded registry
	// only.
	Snapshot   bool         `json:"snapshot"`
	Sources    []Source     `json:"sources"`
	Images     []Image      `json:"images"`
	ThirdParty []ThirdParty `json:"thirdParty,omitempty"`
	Artifacts  []Artifact   `json:"artifacts,omitempty"`
}

// Source is what an image was built from.
type Source struct {
	Name     string `json:"name"`
	Module   string `json:"module,omitempty"` // path@version of a Go module
	Sum      string `json:"sum,omitempty"`    // its h1: hash
	Revision string `json:"revision"`         // commit
}

// Image is one image of the product: an index with one child per platform, or a single manifest
// (Kind "lifecycle").
type Image struct {
	Name       string          `json:"name"`       // as in slipway.yaml
	Kind       string          `json:"kind"`       // "go", "dockerfile" or "lifecycle"
	Repository string          `json:"repository"` // registry/repository without tag
	Tag        string          `json:"tag"`
	MediaType  types.MediaType `json:"mediaType"`
	// Digest of the index, or of the manifest where there is no index.
	Digest    v1.Hash        `json:"digest"`
	Size      int64          `json:"size"` // bytes of that index or manifest
	Children  []Child        `json:"children"`
	Referrers []oci.Referrer `json:"referrers,omitempty"`
}

// Child is one manifest. Of a single-manifest image the only child is the image itself.
type Child struct {
	// as package platform formats it, with the full os.version
	Platform platform.Platform `json:"platform"`
	// the four-part version in config and descriptor
	OSVersion string          `json:"osVersion,omitempty"`
	MediaType types.MediaType `json:"mediaType"`
	Digest    v1.Hash         `json:"digest"`
	Size      int64           `json:"size"` // bytes of the manifest
	// digest of the image configuration, which docker calls the image ID
	Config     v1.Hash `json:"config"`
	LayerBytes int64   `json:"layerBytes"`     // bytes of all layers as stored (compressed)
	Base       *Base   `json:"base,omitempty"` // nil for an image from scratch
	// CopiedFrom are the other images that its Dockerfile copies files from.
	CopiedFrom []Base `json:"copiedFrom,omitempty"`
	// ExtraOS lists the operating systems that a single manifest has files for, if they are more than
	// its platform's: the lifecycle image holds a Linux and a Windows layer.
	ExtraOS []string `json:"extraOS,omitempty"`
}

// Base is the image a child stands on.
type Base struct {
	Name   string  `json:"name"` // reference with digest, or builtin:NAME
	Digest v1.Hash `json:"digest"`
	// Stub reports whether the base was made up for a snapshot and cannot run.
	Stub bool `json:"stub,omitempty"`
}

// Artifact is a file in dist/ for people to download: a program, or an archive of programs.
type Artifact struct {
	File string `json:"file"` // its name in dist/
	// linux/amd64; one for Windows serves every release, so it names none: windows/amd64
	Platform   platform.Platform `json:"platform"`
	Digest     v1.Hash           `json:"digest"`
	Size       int64             `json:"size"`
	Executable bool              `json:"executable,omitempty"`
}

// Fallback says which of an image's platforms a node runs that has none of its own.
type Fallback struct {
	Platform platform.Platform `json:"platform"` // the node's, of the release
	Runs     platform.Platform `json:"runs"`     // the image's
}

// ThirdParty is one line of images.txt.
type ThirdParty struct {
	Reference string          `json:"reference"` // as written
	MediaType types.MediaType `json:"mediaType,omitempty"`
	// what the reference stood for; zero if Omitted
	Digest    v1.Hash             `json:"digest,omitzero"`
	Size      int64               `json:"size,omitempty"` // bytes of the index or manifest
	Platforms []platform.Platform `json:"platforms,omitempty"`
	// Fallbacks are the Windows releases that the image is not made for and yet runs on: bundles
	// for them carry what Runs names.
	Fallbacks []Fallback     `json:"fallbacks,omitempty"`
	Referrers []oci.Referrer `json:"referrers,omitempty"`
	// Omitted is why a snapshot does not have the image. A release to a registry has all of them.
	Omitted string `json:"omitted,omitempty"`
}

// Reference returns repository@digest, the form that release.yaml pins.
func (i Image) Reference() string { return i.Repository + "@" + i.Digest.String() }

// Tagged returns repository:tag.
func (i Image) Tagged() string { return i.Repository + ":" + i.Tag }

// Image returns the image of that name.
func (l *Lock) Image(name string) (Image, bool) {
	for _, i := range l.Images {
		if i.Name == name {
			return i, true
		}
	}
	return Image{}, false
}

// Stubs names the images that something made up replaces in the child: its base, then those that
// files were copied from. It is nil where every image is real.
func (c Child) Stubs() []string {
	var all []string
	if c.Base != nil && c.Base.Stub {
		all = append(all, c.Base.Name)
	}
	for _, b := range c.CopiedFrom {
		if b.Stub && !slices.Contains(all, b.Name) {
			all = append(all, b.Name)
		}
	}
	return all
}

// HasStubs reports whether any child has a stub base, or files of one.
func (l *Lock) HasStubs() bool {
	for _, i := range l.Images {
		for _, c := range i.Children {
			if len(c.Stubs()) > 0 {
				return true
			}
		}
	}
	return false
}
