package lint

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// image is what is known of an image.
type image struct {
	repository string // in full: index.docker.io/library/busybox
	digest     string // sha256:…; "" where a snapshot left the image out and knows none
	reference  string // repository@digest, as manifests name it
	platforms  []v1.Platform
	open       bool // nothing is known of its platforms
}

func (i image) has(os string) bool {
	return slices.ContainsFunc(i.platforms, func(p v1.Platform) bool { return p.OS == os })
}

// images are those of the lock, and those that were looked up in a registry.
type images struct {
	list     []image
	platform []v1.Platform // every platform of the release
}

// fromLock lists the images of a lock: their indexes and, for manifests that name one platform's child, the children.
func fromLock(l *lock.Lock) images {
	var all images
	if l == nil {
		return all
	}
	for _, i := range l.Images {
		whole := image{repository: full(i.Repository), digest: i.Digest.String(), reference: i.Reference()}
		for _, c := range i.Children {
			p, err := c.System()
			if err != nil {
				continue // lock.Read refuses those
			}
			whole.platforms = append(whole.platforms, p)
			all.platform = append(all.platform, p)
			if c.Digest != i.Digest {
				all.list = append(all.list, image{repository: whole.repository, digest: c.Digest.String(), reference: whole.reference, platforms: []v1.Platform{p}})
			}
		}
		all.list = append(all.list, whole)
	}
	for _, t := range l.ThirdParty {
		ref, err := name.ParseReference(t.Reference)
		if err != nil {
			continue // product refuses those
		}
		i := image{repository: ref.Context().Name(), open: t.LeftOut != ""}
		if t.Digest != (v1.Hash{}) {
			i.digest = t.Digest.String()
			i.reference = ref.Context().Name() + "@" + i.digest
		}
		for _, text := range t.Platforms {
			if p, err := platform.Parse(text); err == nil {
				i.platforms = append(i.platforms, p)
			}
		}
		all.list = append(all.list, i)
	}
	platform.Sort(all.platform)
	all.platform = slices.CompactFunc(all.platform, platform.Same)
	return all
}

func full(repository string) string {
	r, err := name.NewRepository(repository)
	if err != nil {
		return repository
	}
	return r.Name()
}

// find returns the image that a reference by digest names.
func (i images) find(ref string) (image, bool) {
	d, err := name.NewDigest(ref)
	if err != nil {
		return image{}, false
	}
	for _, e := range i.list {
		if e.repository == d.Context().Name() && (e.digest == d.DigestStr() || e.digest == "") {
			return e, true
		}
	}
	return image{}, false
}

// of returns what to write for an image of a repository, "" where none is known.
func (i images) of(repo name.Repository) string {
	for _, e := range i.list {
		if e.repository == repo.Name() {
			return e.reference
		}
	}
	return ""
}

// knows reports whether a repository has images in the lock.
func (i images) knows(repo name.Repository) bool {
	return slices.ContainsFunc(i.list, func(e image) bool { return e.repository == repo.Name() })
}

// format lists platforms for a message.
func format(list []v1.Platform) string {
	if len(list) == 0 {
		return "no platform"
	}
	var all []string
	for _, p := range list {
		all = append(all, platform.Format(p))
	}
	return strings.Join(all, ", ")
}
