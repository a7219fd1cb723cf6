package lock

import (
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// PlatformTag is a tag for some platforms of an image, which names the manifest of one platform or
// an index of the manifests of several, and never moves.
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
	// Kept is the reason why the release does not move the tag to the image; empty if it does.
	Kept string `json:"kept,omitempty"`
}

// Named is one name of an image, with the manifest or index that it refers to.
type Named struct {
	Reference string        // repository:tag
	Desc      v1.Descriptor // of the image, or of what a platform tag names
	Floating  bool
	Children  []Child // to which it refers
	// Referrers go with this name. The first name of an image has all but those of the indexes
	// that platform tags name, which go with these.
	Referrers []oci.Referrer
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
	add := func(tag string, n Named) {
		n.Reference = i.Repository + ":" + tag
		all = append(all, n)
	}
	for _, t := range i.Tags {
		add(t, Named{Desc: i.Descriptor(), Children: i.Children})
	}
	for _, t := range i.PlatformTags {
		n := Named{Desc: t.Descriptor(), Children: slices.Clone(i.Children)}
		n.Children = slices.DeleteFunc(n.Children, func(c Child) bool { return !t.Has(c.Platform) })
		if t.MediaType.IsIndex() && t.Digest != i.Digest {
			n.Referrers = i.referrers(t.Digest)
		}
		add(t.Tag, n)
	}
	for _, t := range i.FloatingTags {
		if t.Kept == "" && t.Repository == i.Repository {
			add(t.Tag, Named{Desc: i.Descriptor(), Floating: true, Children: i.Children})
		}
	}
	if len(all) > 0 {
		subjects := []v1.Hash{{}, i.Digest}
		for _, c := range i.Children {
			subjects = append(subjects, c.Digest)
		}
		all[0].Referrers = i.referrers(subjects...)
	}
	return all
}

// referrers returns those that refer to one of the subjects, directly or through another referrer.
func (i Image) referrers(subjects ...v1.Hash) (all []oci.Referrer) {
	for _, r := range i.Referrers {
		if slices.Contains(subjects, r.Subject) {
			subjects, all = append(subjects, r.Digest), append(all, r)
		}
	}
	return all
}

// At returns the lock as it is for one of its registries: every image and chart has the repository
// that it has there, and no copies. The result is false if the release is not in the registry.
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
	return slices.DeleteFunc(slices.Clone(i.FloatingTags), func(t FloatingTag) bool {
		return t.Repository != i.Repositories()[n]
	})
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
