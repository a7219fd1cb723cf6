package product

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// scratch is the base of that name, which every product has.
const scratch = "scratch"

// mcr are Microsoft's bases by their words in slipway.yaml. Without a tag, the tag is the name of
// the LTSC release.
var mcr = map[string]struct {
	repository, tag string
	anyBuild        bool
}{
	"nanoserver":  {repository: "mcr.microsoft.com/windows/nanoserver"},
	"servercore":  {repository: "mcr.microsoft.com/windows/servercore"},
	"hostprocess": {"mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image", "v1.0.0", true},
}

func (c *checker) base(in *baseYAML) {
	if in.Name == scratch && in.Builtin != scratch {
		c.Errorf(&in.Name, "scratch is the empty base of every product: take another name")
	}
	b := Base{Name: in.Name, Builtin: in.Builtin, Microsoft: in.Microsoft}
	if in.Microsoft == "" {
		b.Images, b.Files = c.baseImages(in)
	} else if !c.Bad(&in.Microsoft) {
		b.Images, b.AnyBuild = c.microsoft(in), mcr[in.Microsoft].anyBuild
	}
	if len(in.InPlaceOf) > 0 {
		b.InPlaceOf = c.inPlaceOf(in)
	}
	if in.Repository != "" && in.Microsoft == "" {
		c.Errorf(&in.Repository, "repository goes with microsoft alone: write full references under images")
	}
	slices.SortFunc(b.Images, func(x, y BaseImage) int {
		return cmp.Or(platform.Compare(x.Platform, y.Platform), cmp.Compare(x.Reference.Name(), y.Reference.Name()))
	})
	c.out.Bases = append(c.out.Bases, b)
}

// inPlaceOf reads the references that a base takes the place of.
func (c *checker) inPlaceOf(in *baseYAML) (list []name.Reference) {
	if in.Microsoft != "" {
		c.Errorf(&in.InPlaceOf,
			"inPlaceOf goes with builtin and images: repository says where copies of Microsoft's are")
		return nil
	}
	for n, s := range in.InPlaceOf {
		ref, _, err := parseReference(s)
		switch {
		case err != nil:
			c.Errorf(&in.InPlaceOf[n], "%v", err)
		case c.replaced[ref.Name()]:
			c.Errorf(&in.InPlaceOf[n], "%s has two bases in its place: keep one", s)
		default:
			list = append(list, ref)
		}
		if err == nil {
			c.replaced[ref.Name()] = true
		}
	}
	return list
}

// baseImages reads the images of a base: those of registries, and those in files.
func (c *checker) baseImages(in *baseYAML) (list []BaseImage, files []BaseFile) {
	var before []platform.Platform
	for _, key := range slices.Sorted(maps.Keys(in.Images)) {
		pos := c.Pos(yamlfile.Entry(&in.Images, key))
		p, perr := platform.Parse(key)
		ref, tag, file, err := c.baseReference(in.Images[key], p)
		if err != nil {
			c.At(pos, "%v", err)
		}
		if perr != nil {
			c.KeyErrorf(&in.Images, key, "%v", perr)
		} else if same, ok := findPlatform(before, p); ok {
			c.KeyErrorf(&in.Images, key, "%s", sameSystem(same, p))
		}
		if err != nil || perr != nil {
			continue
		}
		if err := OtherRelease(in.Images[key], p); err != nil {
			c.At(pos, "%v", err)
		}
		before = append(before, p)
		if file != nil {
			files = append(files, BaseFile{p, *file, pos})
			continue
		}
		list = append(list, newBaseImage(p, ref, tag, pos))
	}
	slices.SortFunc(files, func(x, y BaseFile) int { return platform.Compare(x.Platform, y.Platform) })
	return list, files
}

// baseReference reads the image of a base: a reference with its tag, or a file.
func (c *checker) baseReference(text string, p platform.Platform) (
	ref name.Reference, tag string, file *ImageFile, err error,
) {
	if !IsImageFile(text) {
		ref, tag, err = parseReference(text)
		return ref, tag, nil, err
	}
	file, err = c.imageFile(text, p)
	return nil, "", file, err
}

// newBaseImage returns an image as slipway.yaml names it.
func newBaseImage(p platform.Platform, ref name.Reference, tag string, pos yamlfile.Pos) BaseImage {
	_, inline := ref.(name.Digest)
	if t, ok := ref.(name.Tag); ok {
		tag = t.TagStr()
	}
	return BaseImage{Platform: p, Reference: ref, Tag: tag, Pos: pos, Inline: inline}
}

// microsoft returns the images of a base of Microsoft, for every Windows platform of the release.
func (c *checker) microsoft(in *baseYAML) []BaseImage {
	kind := mcr[in.Microsoft]
	repository, at := kind.repository, c.Pos(&in.Microsoft)
	if in.Repository != "" {
		repository, at = in.Repository, c.Pos(&in.Repository)
	}
	var list []BaseImage
	for _, p := range c.out.Platforms {
		if p.OS != platform.Windows {
			continue
		}
		tag := kind.tag
		if tag == "" {
			if tag = platform.Release(p.OSVersion); tag == platform.Short(p.OSVersion) {
				if tag == p.OSVersion {
					c.At(at, "%s has no tag for %s, which is not an LTSC release: give the platform "+
						"its version in full, or name the image under images", in.Microsoft, p.String())
					continue
				}
				tag = p.OSVersion
			}
		}
		ref, _, err := parseReference(repository + ":" + tag)
		if err != nil {
			c.At(at, "%v", err)
			return nil
		}
		i := newBaseImage(p, ref, "", at)
		i.Upstream = kind.repository + ":" + tag
		list = append(list, i)
	}
	return list
}

// Referenced returns the image that a Dockerfile names by its reference for a platform, as
// bases.lock.yaml pins it. A digest in the Dockerfile decides, and then the lock does not.
func (p *Product) Referenced(ref name.Reference, on platform.Platform, pos yamlfile.Pos) BaseImage {
	i := newBaseImage(on, ref, "", pos)
	if i.Inline {
		return i
	}
	for n := range p.LockedReferences {
		e := &p.LockedReferences[n]
		o, err := name.ParseReference(e.Reference)
		if err == nil && o.Name() == ref.Name() && platform.Same(e.Platform, on) { // in any spelling
			i.Lock = e
		}
	}
	return i
}

// OtherRelease returns an error where the tag of a reference names another Windows release than a
// platform's. A snapshot, which asks no registry, has nothing else to find that by.
func OtherRelease(reference string, p platform.Platform) error {
	tagged, _, _ := strings.Cut(reference, "@")
	tag, err := name.NewTag(tagged, name.WithDefaultTag(""))
	if err != nil || p.OS != platform.Windows || p.OSVersion == "" {
		return nil //nolint:nilerr // the parser has reported it
	}
	v := platform.TagVersion(tag.TagStr())
	if v == "" || v == platform.Short(p.OSVersion) {
		return nil
	}
	return fmt.Errorf("the tag of %s names Windows %s, and the platform is %s: name the image for that release",
		reference, platform.Release(v), p)
}
