package pin

import (
	"cmp"
	"slices"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// image is a repository and tag, with all places that name it.
type image struct {
	places []*place
	pinned string // the digest that the places have; "" if none has one
	keep   string // why a newer tag is missing; "" if there may be one

	// The tag and digest that all places get. digest is "" if they stay as they are.
	tag, digest string
	raised      imagetag.Level
	moved       string // the repository's new address; "" without one
}

// group gathers the places of each image. Without an update, places must agree on the digest.
func group(s *search, o Options) ([]*image, error) {
	var all []*image
	by := map[string]*image{}
	var errs yamlfile.Errors
	for _, p := range s.places {
		i := by[p.tag.Name()]
		if i == nil {
			i = &image{tag: p.tag.TagStr()}
			by[p.tag.Name()] = i
			all = append(all, i)
		}
		i.places = append(i.places, p)
		switch {
		case i.pinned == "":
			i.pinned = p.digest
		case p.digest != "" && p.digest != i.pinned && !o.Update:
			errs.At(p.pos, "%s is pinned here at %s, and at %s elsewhere: run %s, which renews both",
				withoutDigest(p.text), p.digest, i.pinned, howto.Run("pin -update"))
		}
	}
	for _, i := range all {
		i.keep = keep(i, all, o.Newer)
	}
	return all, errs.Err()
}

// keep returns why a line of images.txt keeps its tag: another line has a newer one already, so
// that several versions are meant.
func keep(i *image, all []*image, level imagetag.Level) string {
	if !i.places[0].list {
		return ""
	}
	for _, o := range all {
		first := o.places[0]
		if o != i && first.list && first.tag.Context() == i.places[0].tag.Context() &&
			len(imagetag.Newer(i.tag, []string{o.tag}, level)) > 0 {
			return first.pos.String() + " has " + o.tag
		}
	}
	return ""
}

// raisable reports whether the tag may be raised: all its places are in files of ours.
func (i *image) raisable() bool {
	return i.keep == "" && !slices.ContainsFunc(i.places, func(p *place) bool { return p.locked })
}

// wanted reports whether a registry has to be asked for the digest of the image.
func (i *image) wanted(o Options) bool {
	if o.Update || i.moved != "" || i.raised != imagetag.None {
		return true
	}
	for _, p := range i.places {
		if p.digest == "" && !p.tagOnly {
			return i.pinned == ""
		}
	}
	return false
}

// changes returns the changes of all places.
func (i *image) changes() []Change {
	var list []Change
	digest := cmp.Or(i.digest, i.pinned)
	for _, p := range i.places {
		c := Change{
			Place: p.pos.String(), From: p.text, To: p.with(i.moved, i.tag, digest), Why: TagMoved,
			Raised: i.raised, place: p,
		}
		switch {
		case digest == "" || c.To == c.From:
			continue
		case i.raised != imagetag.None:
			c.Why = "newer " + i.raised.String()
		case i.moved != "":
			c.Why = Moved
		case p.digest == "":
			c.Why = NotPinned
		}
		list = append(list, c)
	}
	return list
}
