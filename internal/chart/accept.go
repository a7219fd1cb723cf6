package chart

import (
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// accept reports whether a change has pinned a use and changed nothing but references on their way
// to their images. It remembers what those have become.
func (p *pinner) accept(u use, image *Image, after []view) bool {
	to := map[string]*Image{} // the references that may change
	for n, v := range p.before {
		for _, u := range v.uses {
			u.at = n
			if i := p.image(u); i != nil && !p.overridden(u) {
				to[u.reference] = i
			}
		}
	}
	made := map[string]*Image{}
	for n := range after {
		if !sameBut(p.before[n].rendered, after[n].rendered, to, made) {
			return false
		}
	}
	pinned := false
	for _, v := range after[u.at].uses {
		if v.template == u.template && v.document == u.document && v.path == u.path {
			_, err := name.NewDigest(v.reference)
			pinned = pinned || err == nil && image.is(v.reference)
		}
	}
	if pinned {
		for reference, image := range made {
			p.known[reference] = image
		}
	}
	return pinned
}

// sameBut reports whether two renderings differ in references only.
func sameBut(before, after *rendered, to map[string]*Image, made map[string]*Image) bool {
	if len(before.templates) != len(after.templates) {
		return false
	}
	for i, t := range before.templates {
		one, two := strings.Split(t.text, "\n"), strings.Split(after.templates[i].text, "\n")
		if t.name != after.templates[i].name || len(one) != len(two) {
			return false
		}
		for n := range one {
			if one[n] != two[n] && !sameLine(one[n], two[n], to, made) {
				return false
			}
		}
	}
	return true
}

// sum matches checksums of other texts, which change with these.
var sum = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// token matches a reference, and other words.
var token = regexp.MustCompile(`[\w./:@-]+`)

// sameLine reports whether two lines differ in references, which have come nearer to their images.
func sameLine(before, after string, to, made map[string]*Image) bool {
	if !strings.Contains(before, "sha256:") && sum.ReplaceAllString(before, "") == sum.ReplaceAllString(after, "") {
		return true
	}
	one, two := token.FindAllString(before, -1), token.FindAllString(after, -1)
	if len(one) != len(two) || token.ReplaceAllString(before, "") != token.ReplaceAllString(after, "") {
		return false
	}
	for n := range one {
		if one[n] == two[n] {
			continue
		}
		image := to[one[n]]
		if image == nil || !nearer(one[n], two[n], image) {
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
		(newTag == oldTag || newTag == image.Tag || newTag == "") && (newDigest == oldDigest || newDigest == image.Digest)
}
