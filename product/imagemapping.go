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

// mappingFault returns what is wrong with an entry of release.images by itself.
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
