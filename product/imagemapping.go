package product

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Ko begins a reference that ko resolves: the import path of a Go program follows.
const Ko = "ko://"

// imageMappings reads release.images.
func (c *checker) imageMappings() {
	all := &c.in.Release.Images
	written := map[string]string{} // by what the reference means
	for _, ref := range slices.Sorted(maps.Keys(*all)) {
		image := (*all)[ref]
		if why := mappingFault(ref, image); why != "" {
			c.KeyErrorf(all, ref, "%s", why)
			continue
		}
		if same, ok := written[meaning(ref)]; ok {
			c.KeyErrorf(all, ref, "%s and %s are one reference: keep one", same, ref)
			continue
		}
		written[meaning(ref)] = ref
		m := ImageMapping{Reference: ref, Image: image, Pos: c.Pos(yamlfile.Entry(all, ref))}
		if image == "*" {
			m.Image = ""
		} else if why := c.images.unknown(image); why != "" {
			c.At(m.Pos, "%s", why)
		}
		c.out.Release.Images = append(c.out.Release.Images, m)
	}
}

// mappingFault returns the mistake in an entry of release.images by itself.
func mappingFault(ref, image string) string {
	_, err := path.Match(ref, "")
	switch {
	case ref == "" || ref == Ko:
		return "an entry maps a reference to an image: " +
			"write the repository of a manifest's image, such as ghcr.io/me/app"
	case strings.Contains(ref, "@"):
		return ref + " has a digest, which names one image for ever: write the repository alone"
	case err != nil:
		return ref + " is not a pattern: * matches a part of a reference without a slash, [a-z] one of these letters"
	case image == "":
		return "name the image that " + ref + " becomes"
	case image == "*" && !strings.Contains(path.Base(ref), "*"):
		return "* is for patterns that end in a *, such as " + Ko + "example.com/app/cmd/*: name the image that " +
			ref + " becomes"
	}
	return ""
}

// meaning returns one text for all ways to write a reference: app is docker.io/library/app.
func meaning(ref string) string {
	t, err := name.NewTag(ref, name.WithDefaultTag(""))
	if err != nil || strings.HasPrefix(ref, Ko) {
		return ref
	}
	return t.Name()
}

// Target returns the name of the image that m has for a reference.
func (m ImageMapping) Target(ref string) string {
	if m.Image != "" {
		return m.Image
	}
	last := path.Base(ref)
	if !strings.HasPrefix(ref, Ko) {
		last, _, _ = strings.Cut(last, ":")
	}
	return last
}

// Match returns how exactly m matches a reference, of which repository and tag are known if it is
// not another text: -1 if it does not.
func (m ImageMapping) Match(ref, repository, tag string) int {
	if strings.ContainsAny(m.Reference, `*?[\`) {
		base, _, _ := strings.Cut(ref, ":")
		for _, text := range []string{ref, base, repository, repository + ":" + tag} {
			if ok, err := path.Match(m.Reference, text); text != "" && err == nil && ok {
				return 0
			}
		}
		return -1
	}
	if m.Reference == ref {
		return 2
	}
	t, err := name.NewTag(m.Reference, name.WithDefaultTag(""))
	switch {
	case err != nil || repository == "" || t.Context().Name() != repository:
		return -1
	case t.TagStr() == "":
		return 1
	case t.TagStr() == tag:
		return 2
	}
	return -1
}

// Maps reports whether release.images has an image of the product for a reference, which has no
// digest.
func (p *Product) Maps(ref string) bool {
	t, err := name.NewTag(ref, name.WithDefaultTag(""))
	return err == nil && slices.ContainsFunc(p.Release.Images, func(m ImageMapping) bool {
		return m.Match(ref, t.Context().Name(), t.TagStr()) >= 0 &&
			slices.ContainsFunc(p.Images, func(i Image) bool { return i.Name == m.Target(ref) })
	})
}
