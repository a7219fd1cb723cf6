package chart

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// accept reports whether a change has pinned a use and changed nothing but references on their
// way to their images, and remembers their new values.
func (p *pinner) accept(u use, image *Image, after []view) bool {
	may, made := p.goals(), map[string]*Image{}
	for n := range after {
		if !p.sameUses(n, after[n]) || !sameBut(p.before[n].rendered, after[n].rendered, may, made) {
			return false
		}
	}
	pinned := false
	for _, v := range after[u.inCase].uses {
		if v.where() == u.where() {
			_, err := name.NewDigest(v.Reference)
			pinned = pinned || err == nil && image.is(v.Reference)
		}
	}
	if pinned {
		for reference, image := range made {
			p.known[reference] = image
		}
	}
	return pinned
}

// goals are the images that references may become: by template, and by "" for a template that
// has a reference in other texts only.
type goals map[string]map[string][]*Image

// goals returns what references may become. One that becomes several images is not among those of
// other texts.
func (p *pinner) goals() goals {
	all := goals{"": {}}
	for n, v := range p.before {
		for _, u := range v.uses {
			u.inCase = n
			i := p.image(u)
			if all[u.Template] == nil {
				all[u.Template] = map[string][]*Image{}
			}
			if i != nil && p.overridden(u) {
				continue
			}
			for _, images := range []map[string][]*Image{all[u.Template], all[""]} {
				same := func(o *Image) bool { return i == o || i != nil && o != nil && *i == *o }
				if !slices.ContainsFunc(images[u.Reference], same) {
					images[u.Reference] = append(images[u.Reference], i)
				}
			}
		}
	}
	return all
}

// near reports the image of which a reference in a template has come nearer; nil if there is none.
func (g goals) near(template, before, after string) *Image {
	images, ok := g[template][before]
	if !ok {
		if images = g[""][before]; len(images) > 1 {
			return nil
		}
	}
	for _, i := range images {
		if i != nil && nearer(before, after, i) {
			return i
		}
	}
	return nil
}

// retags reports whether a word is the tag of a reference before, and that of its image after: a
// template that writes the tag by itself, as a version, means the tag that the release has.
func (g goals) retags(before, after string) bool {
	for _, images := range g {
		for reference, to := range images {
			base, _, _ := strings.Cut(reference, "@")
			_, tag := splitTag(base)
			if tag == before && slices.ContainsFunc(to, func(i *Image) bool { return i != nil && i.Tag == after }) {
				return true
			}
		}
	}
	return false
}

// sameUses reports whether each use of a case is what it was or has come nearer to its own image:
// two that have the same text may be for different ones.
func (p *pinner) sameUses(at int, after view) bool {
	now := make(map[string]string, len(after.uses))
	for _, u := range after.uses {
		now[u.where()] = u.Reference
	}
	for _, u := range p.before[at].uses {
		u.inCase = at
		changed, ok := now[u.where()]
		if !ok || changed == u.Reference {
			continue // a text that is not a reference anymore has changed
		}
		if i := p.image(u); i == nil || !nearer(u.Reference, changed, i) {
			return false
		}
	}
	return true
}

// sameBut reports whether two renderings differ in references only.
func sameBut(before, after *rendered, may goals, made map[string]*Image) bool {
	if len(before.templates) != len(after.templates) {
		return false
	}
	for i, t := range before.templates {
		one, two := strings.Split(t.Text, "\n"), strings.Split(after.templates[i].Text, "\n")
		if t.Name != after.templates[i].Name || len(one) != len(two) {
			return false
		}
		for n := range one {
			if one[n] != two[n] && !sameLine(t.Name, one[n], two[n], may, made) {
				return false
			}
		}
	}
	return true
}

// sum matches checksums of other texts, which change with these.
var sum = lazyregexp.New(`\b[0-9a-f]{64}\b`)

// token matches a reference, and other words.
var token = lazyregexp.New(`[\w./:@-]+`)

// sameLine reports whether two lines differ in references, which have come nearer to their images.
func sameLine(template, before, after string, may goals, made map[string]*Image) bool {
	if !strings.Contains(before, "sha256:") && sum.ReplaceAllString(before, "") == sum.ReplaceAllString(after, "") {
		return true
	}
	one, two := token.FindAllString(before, -1), token.FindAllString(after, -1)
	if len(one) != len(two) || token.ReplaceAllString(before, "") != token.ReplaceAllString(after, "") {
		return false
	}
	for n := range one {
		if one[n] == two[n] || may.retags(one[n], two[n]) {
			continue
		}
		image := may.near(template, one[n], two[n])
		if image == nil {
			return false
		}
		made[two[n]] = image
	}
	return true
}

// nearer reports whether each part of a reference is what it was, or what the image has.
func nearer(before, after string, image *Image) bool {
	oldBase, oldDigest, _ := strings.Cut(before, "@")
	newBase, newDigest, _ := strings.Cut(after, "@")
	oldRepository, oldTag := splitTag(oldBase)
	newRepository, newTag := splitTag(newBase)
	_, err := name.ParseReference(after)
	return err == nil && (newRepository == oldRepository || sameRepository(newRepository, image.Repository)) &&
		(newTag == oldTag || newTag == image.Tag || newTag == "") &&
		(newDigest == oldDigest || newDigest == image.Digest)
}
