package pin

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/references"
)

// inLock takes the images that rendered manifests name by a tag that no file of ours has: their
// digests are in images.lock.yaml.
func (s *search) inLock(found []references.Image) {
	ours := map[string]bool{}
	for _, p := range s.places {
		ours[p.tag.Name()] = true
	}
	for _, i := range references.Unpinned(s.product, found) {
		p := newPlace(i.Reference, i.Pos)
		if p == nil || ours[p.tag.Name()] {
			continue
		}
		p.locked = true
		for _, e := range s.product.LockedImages {
			if l := newPlace(e.Reference, e.Pos); l != nil && l.tag.Name() == p.tag.Name() {
				p.pos, p.digest = e.Pos, e.Digest.String()
				p.text = e.Reference + "@" + p.digest
			}
		}
		s.places = append(s.places, p)
	}
}

// lock makes the new content of images.lock.yaml, if that changes, and adds the entries that go to
// the changes.
func (r *Result) lock(p *product.Product, images []*image) error {
	var list []product.LockedImage
	kept := map[string]bool{}
	for _, i := range images {
		if !i.places[0].locked {
			continue
		}
		text := i.places[0].with("", i.tag, cmp.Or(i.digest, i.pinned))
		reference, digest, _ := strings.Cut(text, "@")
		h, err := v1.NewHash(digest)
		if err != nil {
			return err
		}
		kept[reference] = true
		list = append(list, product.LockedImage{Reference: reference, Digest: h})
	}
	for _, e := range p.LockedImages {
		if !kept[e.Reference] {
			r.Changes = append(r.Changes,
				Change{Place: e.Pos.String(), From: e.Reference + "@" + e.Digest.String(), Why: NotNamed})
		}
	}
	slices.SortFunc(list, func(a, b product.LockedImage) int { return strings.Compare(a.Reference, b.Reference) })
	same := slices.EqualFunc(list, p.LockedImages, func(a, b product.LockedImage) bool {
		return a.Reference == b.Reference && a.Digest == b.Digest
	})
	if same {
		return nil
	}
	b, err := product.EncodeImages(list)
	r.contents = append(r.contents,
		disk.Content{Path: filepath.Join(filepath.Dir(p.Path), product.ImagesLock), Data: b})
	return err
}
