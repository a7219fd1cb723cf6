package render

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/render/chart"
)

// finder returns the images for references of charts: those of the product by the rules for
// manifests, those of third parties by the lock. A digest of the last release is replaced, too.
func finder(m *images) func(reference string) *chart.Image {
	pins := pinsOf(m.lock)
	return func(reference string) *chart.Image {
		base, _, pinned := strings.Cut(reference, "@")
		full := tagged(base)
		repository, tag := base, ""
		if full != "" {
			repository, tag = base[:strings.LastIndexByte(base, ':')], base[strings.LastIndexByte(base, ':')+1:]
		}
		if found := m.find(base, true); found != "" {
			return m.tagged(found, tag)
		}
		if digest := pins[full]; digest != "" && !pinned {
			return &chart.Image{Repository: repository, Tag: tag, Digest: digest}
		}
		return nil
	}
}

// tagged returns the image of a reference of the lock, repository@digest, by the tag that it had in
// a chart if the release has that one, and else by the first of its tags.
func (m *images) tagged(reference, tag string) *chart.Image {
	repository, digest, _ := strings.Cut(reference, "@")
	found := &chart.Image{Repository: repository, Digest: digest}
	for _, i := range m.lock.Images {
		if i.Repository != repository {
			continue
		}
		var tags []string
		for _, n := range i.Names() {
			if n.Desc.Digest.String() == digest {
				tags = append(tags, n.Reference[strings.LastIndexByte(n.Reference, ':')+1:])
			}
		}
		if slices.Contains(tags, tag) {
			found.Tag = tag
		} else if len(tags) > 0 && found.Tag == "" {
			found.Tag = tags[0]
		}
	}
	return found
}
