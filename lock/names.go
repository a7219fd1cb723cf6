package lock

import (
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/platform"
)

// PlatformTag is a tag for some platforms of an image. It names the manifest of one platform, or
// an index of the manifests of several. It never moves.
type PlatformTag struct {
	Tag       string              `json:"tag"`
	Platforms []platform.Platform `json:"platforms"`
	MediaType types.MediaType     `json:"mediaType"`
	Digest    v1.Hash             `json:"digest"`
	Size      int64               `json:"size"` // bytes of the manifest or index
}

// FloatingTag is a tag that moves from release to release, such as latest, in one repository.
type FloatingTag struct {
	Tag        string `json:"tag"`
	Repository string `json:"repository"` // the image's Repository, or one of its Copies
	// From is the digest that the tag named when this run looked, for messages; zero if there was
	// none. The file lacks it: whoever repeats the release finds the tag moved.
	From v1.Hash `json:"-"`
	// Kept is why the release leaves the tag where it is. It is empty if the tag moves to the
	// image.
	Kept string `json:"kept,omitempty"`
}

// Named is one name of an image, and what it stands for.
type Named struct {
	Reference string        // repository:tag
	Desc      v1.Descriptor // of the image, or of what a platform tag names
	Floating  bool
}

// Tagged returns repository:tag, with the first of the image's tags.
func (i Image) Tagged() string {
	if len(i.Tags) == 0 {
		return i.Repository + ":"
	}
	return i.Repository + ":" + i.Tags[0]
}

// Descriptor describes what the tags of an image name: its index, or its only manifest.
func (i Image) Descriptor() v1.Descriptor {
	return v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}
}

// Documents describes the documents that an image consists of, each once: its index or only
// manifest, the manifests of its platforms, and the indexes of its platform tags.
func (i Image) Documents() []v1.Descriptor {
	all := []v1.Descriptor{i.Descriptor()}
	add := func(d v1.Descriptor) {
		if !slices.ContainsFunc(all, func(have v1.Descriptor) bool { return have.Digest == d.Digest }) {
			all = append(all, d)
		}
	}
	for _, c := range i.Children {
		add(v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size})
	}
	for _, t := range i.PlatformTags {
		add(t.Descriptor())
	}
	return all
}

// Has reports whether the tag is for a platform.
func (t PlatformTag) Has(p platform.Platform) bool {
	return slices.ContainsFunc(t.Platforms, func(o platform.Platform) bool { return platform.Same(o, p) })
}

// Descriptor describes what a platform tag names.
func (t PlatformTag) Descriptor() v1.Descriptor {
	return v1.Descriptor{MediaType: t.MediaType, Digest: t.Digest, Size: t.Size}
}

// Names lists all names of an image in its Repository: tags, platform tags, and those of the
// floating tags that move to it.
func (i Image) Names() []Named {
	var all []Named
	for _, t := range i.Tags {
		all = append(all, Named{i.Repository + ":" + t, i.Descriptor(), false})
	}
	for _, t := range i.PlatformTags {
		all = append(all, Named{i.Repository + ":" + t.Tag, t.Descriptor(), false})
	}
	for _, t := range i.FloatingTags {
		if t.Kept == "" && t.Repository == i.Repository {
			all = append(all, Named{i.Repository + ":" + t.Tag, i.Descriptor(), true})
		}
	}
	return all
}

// At returns the lock as it is for one of its registries: every image and chart has the repository
// that it has there, and no copies. It reports false if the release is in no such registry.
func (l *Lock) At(registry string) (*Lock, bool) {
	n := slices.Index(l.Registries(), registry)
	if n < 0 {
		return nil, false
	}
	at := *l
	at.Registry, at.Copies, at.Images, at.Charts = registry, nil, slices.Clone(l.Images), slices.Clone(l.Charts)
	for k := range at.Images {
		i := &at.Images[k]
		i.Copies, i.Repository, i.FloatingTags = nil, i.Repositories()[n], i.floatingAt(n)
	}
	for k := range at.Charts {
		c := &at.Charts[k]
		c.Copies, c.Repository, c.FloatingTags = nil, c.Image().Repositories()[n], c.Image().floatingAt(n)
	}
	return &at, true
}

// floatingAt returns the floating tags of an image in one registry of the lock.
func (i Image) floatingAt(n int) []FloatingTag {
	return slices.DeleteFunc(slices.Clone(i.FloatingTags), func(t FloatingTag) bool { return t.Repository != i.Repositories()[n] })
}

// References lists all names of the image, in all registries.
func (i Image) References() []string {
	var all []string
	for _, i.Repository = range i.Repositories() {
		for _, name := range i.Names() {
			all = append(all, name.Reference)
		}
	}
	return all
}

// Repositories lists the repositories of an image, in the order of [Release.Registries].
func (i Image) Repositories() []string { return append([]string{i.Repository}, i.Copies...) }
