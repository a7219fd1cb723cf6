package lock

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/platform"
)

// CatalogImage is an image that a manifest of the release may name: one of the product or a
// third-party image.
type CatalogImage struct {
	Name       string // for messages: as in slipway.yaml, or the line of images.txt
	Repository name.Repository
	Tags       []string // of all of it: those that never move first
	Digest     string   // sha256:…; "" if a snapshot omits the image
	Reference  string   // repository@digest, as manifests must name it; "" without a digest
	Product    bool     // built by the product itself
	Platforms  []platform.Platform
	Manifests  []string // digests of the platforms' manifests; none for third-party images
	ExtraOS    []string // as in [Child], of all children
	Child      bool     // found by a name of some of its platforms only
	Unresolved string   // why the platforms are unknown; "" if they are known

	platformTags []PlatformTag
}

// Runs reports whether the image has files for an operating system, and true if the platforms are
// unknown.
func (k CatalogImage) Runs(os string) bool {
	return k.Unresolved != "" || slices.Contains(k.ExtraOS, os) ||
		slices.ContainsFunc(k.Platforms, func(p platform.Platform) bool { return p.OS == os })
}

// Catalog lists the images that manifests of a release may name.
type Catalog []CatalogImage

// Catalog lists the images of a lock, the product's first.
func (l *Lock) Catalog() Catalog {
	var list Catalog
	for _, i := range l.Images {
		repo, err := name.NewRepository(i.Repository)
		if err != nil {
			continue
		}
		k := CatalogImage{
			Name: i.Name, Repository: repo, Tags: slices.Clone(i.Tags), Digest: i.Digest.String(),
			Reference: i.Reference(), Product: true, platformTags: i.PlatformTags,
		}
		for _, t := range i.FloatingTags {
			if t.Repository == i.Repository && t.Kept == "" {
				k.Tags = append(k.Tags, t.Tag)
			}
		}
		for _, c := range i.Children {
			k.Platforms = append(k.Platforms, c.Platform)
			k.Manifests = append(k.Manifests, c.Digest.String())
			k.ExtraOS = append(k.ExtraOS, c.ExtraOS...)
		}
		list = append(list, k)
	}
	for _, t := range l.ThirdParty {
		tagged, _, _ := strings.Cut(t.Reference, "@")
		tag, err := name.NewTag(tagged)
		if err != nil {
			continue
		}
		k := CatalogImage{
			Name: t.Reference, Repository: tag.Context(), Tags: []string{tag.TagStr()},
			Platforms: t.Platforms,
		}
		if t.Omitted != "" {
			k.Unresolved = "the release omits it: " + t.Omitted
		}
		if t.Digest.Hex != "" {
			k.Digest = t.Digest.String()
			k.Reference = tag.Context().Name() + "@" + k.Digest
		}
		list = append(list, k)
	}
	return list
}

// Find returns the image that a reference by digest names. For the digest of a child
// or of a platform tag, the result has the platforms of that only.
func (list Catalog) Find(ref string) (CatalogImage, bool) {
	d, err := name.NewDigest(ref)
	if err != nil {
		return CatalogImage{}, false
	}
	for _, k := range list {
		if k.Repository.Name() != d.Context().Name() {
			continue
		}
		if k.Digest == d.DigestStr() {
			return k, true
		}
		for _, t := range k.platformTags {
			if t.Digest.String() == d.DigestStr() {
				return k.tagged(t), true
			}
		}
		if slices.Contains(k.Manifests, d.DigestStr()) {
			return k.only(func(n int) bool { return k.Manifests[n] == d.DigestStr() }), true
		}
	}
	// Of an image that the release omits, any digest may be meant.
	return first(list, func(k CatalogImage) bool { return k.Repository.Name() == d.Context().Name() && k.Digest == "" })
}

// only returns the image with the manifests that keep selects by index.
func (k CatalogImage) only(keep func(n int) bool) CatalogImage {
	all := k
	k.Child, k.ExtraOS, k.Platforms, k.Manifests = true, nil, nil, nil
	for n := range all.Manifests {
		if keep(n) {
			k.Platforms, k.Manifests = append(k.Platforms, all.Platforms[n]), append(k.Manifests, all.Manifests[n])
		}
	}
	return k
}

// tagged returns the image with the platforms and the reference of a platform tag.
func (k CatalogImage) tagged(t PlatformTag) CatalogImage {
	repository, _, _ := strings.Cut(k.Reference, "@")
	k.Reference = repository + "@" + t.Digest.String()
	return k.only(func(n int) bool { return t.Has(k.Platforms[n]) })
}

// FindTagged returns the image that a reference names, by digest or by a tag in the lock. For a
// platform tag, the result has its platforms only.
func (list Catalog) FindTagged(ref string) (CatalogImage, bool) {
	t, err := name.NewTag(ref)
	if err != nil {
		return list.Find(ref)
	}
	for _, k := range list {
		if k.Repository.Name() != t.Context().Name() {
			continue
		}
		if slices.Contains(k.Tags, t.TagStr()) {
			return k, true
		}
		for _, p := range k.platformTags {
			if p.Tag == t.TagStr() {
				return k.tagged(p), true
			}
		}
	}
	return CatalogImage{}, false
}

// near returns the image that a reference to a repository of the catalog most likely means: the
// image with its tag, or else the first of the repository.
func (list Catalog) near(r name.Reference) (CatalogImage, bool) {
	if k, ok := list.FindTagged(r.Name()); ok {
		return k, true
	}
	return first(list, func(k CatalogImage) bool { return k.Repository.Name() == r.Context().Name() })
}

// Fault classifies the fault of an image reference.
type Fault int

// Faults of a reference.
const (
	NoFault      Fault = iota
	Malformed          // empty, or not a reference
	KoName             // a name that only ko resolves
	Unpinned           // without a digest
	TagAndDigest       // runtimes ignore the tag
	OtherDigest        // the repository is in the lock with another digest
	Unknown            // the repository is not in the lock
)

// Resolve returns the image that a reference names. If the reference is wrong, it returns the
// fault and a message with the remedy instead.
func (list Catalog) Resolve(ref string) (CatalogImage, Fault, string) {
	if ref == "" {
		return CatalogImage{}, Malformed, "the image is empty"
	}
	r, err := name.ParseReference(ref)
	switch {
	case koName(ref) == ref:
		return CatalogImage{}, KoName, fmt.Sprintf("only ko resolves %s, no runtime does: %s", ref, list.instead(ref))
	case err != nil && strings.Contains(ref, "{{"):
		return CatalogImage{}, Malformed, fmt.Sprintf("%q is an action of a template, not an image reference: "+
			"render the template first, as with helm template", ref)
	case err != nil && strings.Contains(ref, "${"):
		return CatalogImage{}, Malformed, fmt.Sprintf("%q has a variable that Kubernetes does not replace here: "+
			"replace it first, as with envsubst", ref)
	case err != nil:
		return CatalogImage{}, Malformed, fmt.Sprintf("%q is not an image reference: %v", ref, err)
	}
	meant, known := list.near(r)
	wanted := "repository@sha256:…"
	if meant.Reference != "" {
		wanted = meant.Reference
	}
	digest, pinned := r.(name.Digest)
	before, _, _ := strings.Cut(ref, "@")
	switch k, found := list.Find(ref); {
	case !pinned:
		return CatalogImage{}, Unpinned, fmt.Sprintf("%s is not pinned by digest: write %s", ref, wanted)
	case strings.Contains(before[strings.LastIndex(before, "/")+1:], ":"):
		return CatalogImage{}, TagAndDigest, fmt.Sprintf("%s has a tag and a digest: write %s@%s",
			ref, r.Context().Name(), digest.DigestStr())
	case found:
		return k, NoFault, ""
	case known:
		return CatalogImage{}, OtherDigest, fmt.Sprintf("%s has another digest than the lock: write %s", ref, wanted)
	}
	return CatalogImage{},
		Unknown, fmt.Sprintf("neither the product nor images.txt has the image %s: add a line to images.txt", ref)
}

// instead returns the remedy for a name that only ko resolves. The last part of such a name is
// often the name of an image.
func (list Catalog) instead(ref string) string {
	for _, k := range list {
		if k.Product && k.Name == path.Base(ref) && k.Reference != "" {
			return "write " + k.Reference
		}
	}
	return "write the reference of the image that has the program"
}
