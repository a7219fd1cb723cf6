package forge

import (
	"fmt"
	"strings"
)

// relisted gives a third-party image that the release lists as from another reference, and what
// follows from it: the name in all places. Both are repository[:tag][@], where @ is the digest of
// the image that the registry has as seeded.
func relisted(name, seeded, from, to string) mechanism {
	return documents(name, func(a *archive, index, docker string) (string, string) {
		return a.rename(index, seeded, from, to), a.rename(docker, seeded, from, to)
	})
}

// rename changes a document.
func (a *archive) rename(text, seeded, from, to string) string {
	digest := a.w.third[seeded]
	full := func(s string) string { return a.w.host + "/third/" + strings.Replace(s, "@", "@"+digest, 1) }
	text = strings.ReplaceAll(text, fmt.Sprintf("%q", full(from)), fmt.Sprintf("%q", full(to)))
	return strings.ReplaceAll(text, fmt.Sprintf("%q", bundled(full(from))), fmt.Sprintf("%q", bundled(full(to))))
}

// bundled is what a bundle calls an image.
func bundled(reference string) string {
	base, digest, pinned := strings.Cut(reference, "@")
	switch {
	case strings.LastIndex(base, ":") > strings.LastIndex(base, "/"):
		return base
	case pinned:
		return base + ":" + strings.Replace(digest, ":", "-", 1)
	}
	return base + ":latest"
}

var thirdParty = []mechanism{
	relisted("a tag added to a digest", "third/alone:1", "alone@", "alone:2.0@"),
	relisted("a tag in place of a digest", "third/alone:1", "alone@", "alone:2.0"),
	relisted("its own tag added to a digest", "third/alone:1", "alone@", "alone:1@"),
	relisted("the default tag in place of a digest", "third/alone:1", "alone@", "alone"),
	relisted("a tag moved", "third/pause:1", "pause:1", "pause:2"),
	relisted("a tag next to a digest moved", "third/both:1", "both:1@", "both:2@"),
	relisted("a tag removed", "third/pause:1", "pause:1", "pause@"),
	relisted("a tag next to a digest removed", "third/both:1", "both:1@", "both@"),
	relisted("another repository of a tag", "third/pause:1", "pause:1", "other:1"),
	relisted("another repository of a digest", "third/alone:1", "alone@", "other@"),
	relisted("another repository of both", "third/both:1", "both:1@", "other:1@"),
	relisted("the repository of another image", "third/alone:1", "alone@", "both@"),
	relisted("another tag of a repository that has two", "third/two:0", "two@", "two:2@"),
	documents("the tag of a repository moved to its other image", func(a *archive, i, d string) (string, string) {
		both := func(text string) string {
			text = a.rename(text, "third/two:1", "two:1", "two@")
			return a.rename(text, "third/two:0", "two@", "two:1")
		}
		return both(i), both(d)
	}),
	documents("a tag added to a digest, with both names", func(a *archive, i, d string) (string, string) {
		name := bundled(a.w.listed()[1])
		one, own := a.descriptor(name), a.docker(name)
		return swap(i, one, one+","+a.rename(one, "third/alone:1", "alone@", "alone:2.0")),
			swap(d, own, own+","+a.rename(own, "third/alone:1", "alone@", "alone:2.0"))
	}),
}
