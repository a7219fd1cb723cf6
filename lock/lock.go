// Package lock models release.lock.json, which lists what a release consists of, by digest.
//
// Publish writes a [Lock]; render, airgap and the commands for operators read it. A machine
// that publishes only selected platforms or images writes a [Part] instead, release.part.json,
// and [Merge] joins parts. A [Catalog] lists the images that the manifests of a release may
// name.
//
// The package imports no build code, so that the operator's binary needs none.
package lock

import (
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// SchemaVersion is the format of locks.
const SchemaVersion = 1

// Name is the file's name in dist/.
const Name = distfile.Lock

// GoSeparator is between versions of Go.
const GoSeparator = ", "

// Release is which release a lock or a part is of, and what all of it is made from.
type Release struct {
	Name    string `json:"name"`    // the product's name
	Version string `json:"version"` // the product's version
	// Channel is the channel that the release was published to; "" if it was to none.
	Channel string `json:"channel,omitempty"`
	// Created is SOURCE_DATE_EPOCH, or else the time of the newest source's commit, in UTC.
	Created time.Time `json:"created"`
	// Registry is host[/prefix], with which the repositories of all images begin.
	Registry string `json:"registry"`
	// Copies are the registries, host[/prefix], that have the same images besides Registry.
	Copies []string `json:"copies,omitempty"`
	// Go is the version of the Go toolchain that compiled the programs ("go1.26.8"), or several
	// with [GoSeparator] between them, since a go.mod may choose one. The toolchain is an input, as
	// the sources are.
	Go string `json:"go,omitempty"`
	// Snapshot reports whether no registry was named. The repositories then exist in the
	// embedded registry only.
	Snapshot bool     `json:"snapshot"`
	Sources  []Source `json:"sources"`
	Groups   []Group  `json:"groups,omitempty"` // of images, which have bundles of their own
}

// Group is a group of images.
type Group struct {
	Name   string   `json:"name"`
	AddsTo string   `json:"addsTo,omitempty"` // the group that a node has besides
	Charts []string `json:"charts,omitempty"` // that are in its bundle for all platforms
}

// NoNetwork is why a snapshot omits a third-party image.
const NoNetwork = "no network in a snapshot: name a registry with -registry"

// Registries lists the registries of the release, Registry first.
func (r Release) Registries() []string { return append([]string{r.Registry}, r.Copies...) }

// Lock describes one release, published and complete: every image has a name and a digest.
// Lists keep the order of slipway.yaml and images.txt; third-party images that only manifests
// name follow in the order of these. Equal releases have equal bytes.
type Lock struct {
	SchemaVersion int `json:"schemaVersion"`
	Release
	Images     []Image      `json:"images"`
	Charts     []Chart      `json:"charts,omitempty"`
	ThirdParty []ThirdParty `json:"thirdParty,omitempty"`
	Artifacts  []Artifact   `json:"artifacts,omitempty"`
	// Bundles are the names of the bundles in dist/, without .tar.zst.
	Bundles []string `json:"bundles,omitempty"`
	// Compilers are the C compilers of programs with CGO, sorted by platform and command.
	Compilers []Compiler `json:"compilers,omitempty"`
	// Prebuilt are the prebuilt programs, sorted by name and platform.
	Prebuilt []Prebuilt `json:"prebuilt,omitempty"`
}

// Source is what an image was built from.
type Source struct {
	Name     string `json:"name"`
	Module   string `json:"module,omitempty"` // path@version of a Go module
	Sum      string `json:"sum,omitempty"`    // its h1: hash
	Revision string `json:"revision"`         // commit
	URL      string `json:"url,omitempty"`    // of the repository, as slipway.yaml declares it
	// Licenses is the SPDX expression that slipway.yaml declares.
	Licenses string `json:"licenses,omitempty"`
}

// Image is one image of the product: an index with one child per platform, or a single manifest
// (Kind "lifecycle").
type Image struct {
	Name       string `json:"name"`       // as in slipway.yaml
	Kind       string `json:"kind"`       // "go", "dockerfile", "lifecycle" or "prebuilt"
	Repository string `json:"repository"` // registry/repository without tag
	// Copies are its repositories in the registries of Lock.Copies, in their order.
	Copies []string `json:"copies,omitempty"`
	// Tags never move. The first is the one by which lists and messages call the image.
	Tags         []string        `json:"tags"`
	PlatformTags []PlatformTag   `json:"platformTags,omitempty"`
	FloatingTags []FloatingTag   `json:"floatingTags,omitempty"`
	MediaType    types.MediaType `json:"mediaType"`
	// Digest is that of the index, or of the only manifest.
	Digest    v1.Hash        `json:"digest"`
	Size      int64          `json:"size"` // bytes of that index or manifest
	Children  []Child        `json:"children"`
	Referrers []oci.Referrer `json:"referrers,omitempty"`
	Groups    []string       `json:"groups,omitempty"` // of images that it is in, sorted
}

// Child is one manifest of an image. An image without an index has one child, its own manifest.
type Child struct {
	// Platform has the full os.version.
	Platform platform.Platform `json:"platform"`
	// OSVersion is the four-part version in the configuration and the descriptor.
	OSVersion string          `json:"osVersion,omitempty"`
	MediaType types.MediaType `json:"mediaType"`
	Digest    v1.Hash         `json:"digest"`
	Size      int64           `json:"size"` // bytes of the manifest
	// Config is the digest of the image configuration, which Docker calls the image ID.
	Config     v1.Hash `json:"config"`
	LayerBytes int64   `json:"layerBytes"`     // bytes of all layers as stored (compressed)
	Base       *Base   `json:"base,omitempty"` // nil for an image from scratch, and where it is not known
	// CopiedFrom lists the other images that its Dockerfile copies files from.
	CopiedFrom []Base `json:"copiedFrom,omitempty"`
	// ExtraOS lists all operating systems that a manifest has files for, if there are more than
	// its platform's: the lifecycle image has a Linux and a Windows layer.
	ExtraOS []string `json:"extraOS,omitempty"`
	// Prebuilt is where the manifest comes from, of an image that another builder made; nil for one
	// that the release made. Its manifest, configuration and layers are as that builder wrote them.
	Prebuilt *Taken `json:"prebuilt,omitempty"`
}

// Taken is where a manifest of another builder comes from. Nothing is known of how it was made.
type Taken struct {
	// From is repository@digest of a registry, with its tag if slipway.yaml has one, or the name of
	// an image in a file, as slipway.yaml has it: oci:DIR:TAG.
	From string `json:"from"`
	// Builder is the builder that the release ran, with its versions; "" if the image was there.
	Builder string `json:"builder,omitempty"`
	// Version is that of an image which has another one than the product. The [Inventory] lacks it:
	// images of several versions may have the same manifest.
	Version string `json:"version,omitempty"`
	// Referrers are the signatures, attestations and SBOMs that the manifest has there.
	Referrers []oci.Referrer `json:"referrers,omitempty"`
}

// Base is an image that a child is built on or copies files from.
type Base struct {
	Name   string  `json:"name"` // reference with digest, or builtin:NAME
	Digest v1.Hash `json:"digest"`
	// Created is when the image was made, as it states; zero if it does not.
	Created time.Time `json:"created,omitzero"`
	// Stub reports whether a snapshot has a stub in place of the image. A stub cannot run.
	Stub bool `json:"stub,omitempty"`
}

// Artifact is a file in dist/ for people to download: a program, or an archive of programs.
type Artifact struct {
	File string `json:"file"` // its name in dist/
	// Platform is linux/amd64, for example. A program for Windows runs on every release, so its
	// platform names none: windows/amd64.
	Platform   platform.Platform `json:"platform"`
	Digest     v1.Hash           `json:"digest"`
	Size       int64             `json:"size"`
	Executable bool              `json:"executable,omitempty"`
}

// Fallback names the platform of an image that a node runs if the image lacks the node's own.
type Fallback struct {
	Platform platform.Platform `json:"platform"` // the node's, of the release
	Runs     platform.Platform `json:"runs"`     // the image's
}

// ThirdParty is a third-party image, which images.txt or a manifest names.
type ThirdParty struct {
	Reference string `json:"reference"` // as written, with the digest of images.lock.yaml
	// From lists what names it: images.txt:12, Deployment kpack/controller container controller.
	From []string `json:"from,omitempty"`
	// OS are the operating systems of the pods that run it, and of the bundles that include it.
	// None means all.
	OS        []string        `json:"os,omitempty"`
	MediaType types.MediaType `json:"mediaType,omitempty"`
	// Digest is the digest to which the reference resolved; zero if Omitted is set.
	Digest    v1.Hash             `json:"digest,omitzero"`
	Size      int64               `json:"size,omitempty"` // bytes of the index or manifest
	Platforms []platform.Platform `json:"platforms,omitempty"`
	// Fallbacks lists the Windows releases that the image is not made for but runs on. Bundles
	// for them include the manifest for Runs.
	Fallbacks []Fallback     `json:"fallbacks,omitempty"`
	Referrers []oci.Referrer `json:"referrers,omitempty"`
	// Omitted is the reason why the release does not have the image: a snapshot reaches no
	// registry, or images.txt removes it.
	Omitted string `json:"omitted,omitempty"`
	// Groups are the groups of images that it is in, sorted, and Listed those whose lists name it:
	// each of their bundles has it.
	Groups []string `json:"groups,omitempty"`
	Listed []string `json:"listed,omitempty"`
}

// Reference returns repository@digest, the form that release.yaml pins.
func (i Image) Reference() string { return i.Repository + "@" + i.Digest.String() }

// Image returns the image with the given name.
func (l *Lock) Image(name string) (Image, bool) {
	return first(l.Images, func(i Image) bool { return i.Name == name })
}

// first returns the first element that is meant.
func first[E any](list []E, is func(E) bool) (found E, ok bool) {
	n := slices.IndexFunc(list, is)
	if n < 0 {
		return found, false
	}
	return list[n], true
}

// Bases returns the images that the child is made from: its base, then those that files were
// copied from.
func (c Child) Bases() []Base {
	if c.Base == nil {
		return c.CopiedFrom
	}
	return append([]Base{*c.Base}, c.CopiedFrom...)
}

// Stubs returns the names of the images that the child has stubs of, as [Child.Bases] has them; nil
// if every image is real.
func (c Child) Stubs() []string {
	var all []string
	for _, b := range c.Bases() {
		if b.Stub && !slices.Contains(all, b.Name) {
			all = append(all, b.Name)
		}
	}
	return all
}

// FirstStub returns the first child of images that has a stub base, or files copied from a stub:
// the name of its image, the child, and the name of the stub, which is "" if every image is real.
func FirstStub(images []Image) (image string, child Child, stub string) {
	for _, i := range images {
		for _, c := range i.Children {
			if all := c.Stubs(); len(all) > 0 {
				return i.Name, c, all[0]
			}
		}
	}
	return "", Child{}, ""
}

// HasStubs reports whether any child has a stub base, or files copied from a stub.
func (l *Lock) HasStubs() bool {
	_, _, stub := FirstStub(l.Images)
	return stub != ""
}
