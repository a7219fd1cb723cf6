package references

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
)

// Add returns p with found images in Airgap.Images, after those of images.txt, and with the entries
// of images.lock.yaml that none of them needs in Unused. demands has a line for each image that
// nothing pins. The error lists what images.txt has wrong.
func Add(p *product.Product, found Found) (complete *product.Product, demands, wrong yamlfile.Errors) {
	a := &adder{
		product: *p, digests: digests(p, found.Images), at: map[string]int{}, used: map[string]bool{},
		removed: map[string]bool{},
	}
	a.product.Airgap.Images, a.product.Unused = nil, slices.Clone(p.Unused)
	for _, t := range p.Airgap.Images {
		a.listed(t)
	}
	for _, i := range found.Images {
		a.found(i)
	}
	a.groups(found.Own)
	for _, r := range p.Airgap.Removed {
		if !a.removed[r.From] {
			a.wrong.At(r.Pos, "!%s removes nothing, since no manifest names such an image: "+
				"take the line out, or correct it", r.Pattern)
		}
	}
	for _, e := range p.LockedImages {
		if !a.used[e.Reference] {
			a.product.Unused = append(a.product.Unused,
				product.Entry{Kind: "locked image", Name: e.Reference, Pos: e.Pos})
		}
	}
	return &a.product, a.demands, a.wrong
}

// Unpinned returns the found images that only images.lock.yaml can pin: they have a tag, whose
// digest neither images.txt nor another manifest has.
func Unpinned(p *product.Product, found []Image) []Image {
	pins := digests(p, found)
	return slices.DeleteFunc(slices.Clone(found), func(i Image) bool {
		pin := pins[i.tag]
		return i.pinned() || i.tag == "" || pin.digest != "" && pin.locked.Reference == "" ||
			!i.Field && p.Airgap.Removes(i.Reference)
	})
}

// adder is one call of [Add].
type adder struct {
	product product.Product
	digests map[string]pinned
	at      map[string]int  // index in Airgap.Images by tag and by digest
	used    map[string]bool // references of images.lock.yaml
	removed map[string]bool // lines of images.txt that remove something

	demands, wrong yamlfile.Errors
}

// pinned is the digest of a tag.
type pinned struct {
	digest string
	locked product.LockedImage // the entry that has it; zero for another place
}

// digests maps repository:tag to the digest that pins it: images.txt decides, then the manifests,
// then images.lock.yaml.
func digests(p *product.Product, found []Image) map[string]pinned {
	all := map[string]pinned{}
	for _, e := range p.LockedImages {
		if i := parse(e.Reference); i != nil {
			all[i.tag] = pinned{e.Digest.String(), e}
		}
	}
	for _, i := range found {
		if i.pinned() && i.tag != "" {
			all[i.tag] = pinned{digest: i.ref.Identifier()}
		}
	}
	for _, t := range p.Airgap.Images {
		if i := parse(t.Text); i != nil && i.pinned() && i.tag != "" {
			all[i.tag] = pinned{digest: i.ref.Identifier()}
		}
	}
	return all
}

// pin gives a reference by tag its digest, if there is one.
func (a *adder) pin(i *Image) {
	p := a.digests[i.tag]
	if i.pinned() || p.digest == "" {
		return
	}
	a.used[p.locked.Reference] = true
	i.Reference = i.Reference + "@" + p.digest
	i.ref = i.ref.Context().Digest(p.digest)
	i.Pos = cmp.Or(p.locked.Pos, i.Pos)
}

// listed adds a line of images.txt.
func (a *adder) listed(t product.ThirdParty) {
	if i := parse(t.Text); i != nil {
		for _, r := range a.product.Airgap.Removed {
			if r.Matches(t.Text) {
				a.removed[r.From] = true
				a.wrong.At(r.Pos, "!%s removes the image that line %d adds: keep one of these lines",
					r.Pattern, t.Pos.Line)
			}
		}
		a.pin(i)
		t.Reference, t.Text = i.ref, i.Reference
		a.remember(i)
	}
	a.product.Airgap.Images = append(a.product.Airgap.Images, t)
}

// remember notes the index of the image that is added next.
func (a *adder) remember(i *Image) {
	a.at[i.key()] = len(a.product.Airgap.Images)
	if i.tag != "" {
		a.at[i.tag] = len(a.product.Airgap.Images)
	}
}

// found adds an image of manifests.
func (a *adder) found(i Image) {
	by := a.removal(i)
	if by != "" && !i.Field {
		return // the text is not a reference that anything pulls
	}
	if by != "" && len(i.Listed) > 0 {
		a.wrong.At(i.Pos, "the list of group %s has %s, and %s: keep one of these lines",
			strings.Join(i.Listed, " and "), i.Reference, by)
	}
	place := i.Pos
	tag, own := i.tag, i.pinned()
	a.pin(&i)
	n, known := a.at[i.key()]
	if !known && tag != "" {
		if n, known = a.at[tag]; known && own {
			a.wrong.At(place, "%s names %s, and %s has another digest of this tag: keep one of them",
				i.From[0], i.Reference, a.product.Airgap.Images[n].From[0])
			return
		}
	}
	if known {
		t := &a.product.Airgap.Images[n]
		t.From = append(slices.Clone(t.From), i.From...)
		t.Groups, t.Listed = merge(t.Groups, i.Groups), merge(t.Listed, i.Listed)
		if t.OS != nil {
			t.OS = union(t.OS, i.OS)
		}
		return
	}
	switch {
	case i.pinned():
	case i.tag == "":
		a.demands.At(place, "%s names %s, which has neither tag nor digest: write the tag that is meant",
			i.From[0], i.Reference)
	case len(i.Listed) > 0:
		a.demands.At(place, "%s is not pinned: run %s, which writes its digest into %s%s", i.Reference,
			howto.Run("pin"), product.ImagesLock, product.Since)
	default:
		a.demands.At(place, "%s names %s by tag: run %s, which writes its digest into %s%s", i.From[0],
			i.Reference, howto.Run("pin"), product.ImagesLock, product.Since)
	}
	a.remember(&i)
	a.product.Airgap.Images = append(a.product.Airgap.Images,
		product.ThirdParty{
			Reference: i.ref, Text: i.Reference, Pos: i.Pos, From: i.From, OS: i.OS, Omitted: by,
			Groups: i.Groups, Listed: i.Listed,
		})
}

// removal returns why images.txt removes an image; "" if it does not.
func (a *adder) removal(i Image) string {
	why := ""
	for _, r := range a.product.Airgap.Removed {
		if r.Matches(i.Reference) {
			a.removed[r.From] = true
			why = cmp.Or(why, fmt.Sprintf("%s removes it", r.From))
		}
	}
	return why
}
