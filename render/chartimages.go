package render

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// finder returns the images for references of charts: those of the product by their names at every
// destination of slipway.yaml, by the entries of release.images and by a repository that one
// image alone has; those of third parties by the lock.
func finder(p *product.Product, l *lock.Lock) func(reference string) *chart.Image {
	named, of := map[string]*chart.Image{}, map[string][]*chart.Image{}
	for _, i := range p.Images {
		published, ok := l.Image(i.Name)
		if !ok {
			continue
		}
		repositories := slices.Concat(published.Repositories(), i.Elsewhere)
		for _, n := range published.Names() {
			tag := n.Reference[strings.LastIndexByte(n.Reference, ':')+1:]
			for _, r := range repositories {
				named[tagged(r+":"+tag)] = &chart.Image{Repository: published.Repository, Tag: tag, Digest: n.Desc.Digest.String()}
			}
		}
		for _, r := range repositories {
			key := tagged(r + ":x")
			of[key] = append(of[key], ownImage(published))
		}
	}
	pins := pinsOf(l)
	return func(reference string) *chart.Image {
		base, _, pinned := strings.Cut(reference, "@")
		full := tagged(base)
		repository, tag := base, ""
		if full != "" {
			repository, tag = base[:strings.LastIndexByte(base, ':')], base[strings.LastIndexByte(base, ':')+1:]
		}
		if i := named[full]; i != nil {
			return i
		}
		if i := mapped(p, l, base, repository); i != nil {
			return i
		}
		if list := of[tagged(repository+":x")]; len(list) == 1 {
			return list[0]
		}
		if digest := pins[full]; digest != "" && !pinned {
			return &chart.Image{Repository: repository, Tag: tag, Digest: digest}
		}
		return nil
	}
}

// mapped returns the image that an entry of release.images has for a reference.
func mapped(p *product.Product, l *lock.Lock, base, repository string) *chart.Image {
	for _, m := range p.Release.Images {
		if !matches(m.Reference, base) && !matches(m.Reference, repository) {
			continue
		}
		name := m.Image
		if name == "" {
			name = path.Base(repository)
		}
		if i, ok := l.Image(name); ok {
			return ownImage(i)
		}
	}
	return nil
}

// matches reports whether a pattern of release.images matches a reference, which may leave out
// docker.io/library.
func matches(pattern, reference string) bool {
	ok, _ := path.Match(pattern, reference) // product has checked it
	same := tagged(pattern+":x") != "" && tagged(pattern+":x") == tagged(reference+":x")
	return ok || same || tagged(pattern) != "" && tagged(pattern) == tagged(reference)
}

// ownImage returns an image of the product by its first tag.
func ownImage(i lock.Image) *chart.Image {
	own := &chart.Image{Repository: i.Repository, Digest: i.Digest.String()}
	if len(i.Tags) > 0 {
		own.Tag = i.Tags[0]
	}
	return own
}
