package lint

import v1 "github.com/google/go-containerregistry/pkg/v1"

// Tags are facts about other tags of an image's repository. Unknown ones are empty.
type Tags struct {
	// Twin is the tag of the same version with or without a v, and TwinDigest what it names, if
	// that is another image.
	Twin       string
	TwinDigest v1.Hash
	// Latest is the version that the tag latest names, and Newest a newer one, if there is one.
	Latest, Newest string
}

// tags looks at what other tags name.
func (j *judging) tags() {
	t := j.index.Tags
	if t == nil {
		return
	}
	if t.Twin != "" {
		j.add("tag-twin", -1, "%s is another image: %s, and this one is %s", t.Twin, t.TwinDigest, j.index.Desc.Digest)
	}
	if t.Newest != "" {
		j.add("tag-latest", -1, "latest is %s, and the repository has %s", t.Latest, t.Newest)
	}
}
