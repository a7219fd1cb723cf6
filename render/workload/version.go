package workload

import "strings"

// version returns the tag and the digest of the image that a field names. taken are the fields that
// another image has, and gets those of this one.
func version(text func(string) string, c candidate, taken map[string]bool) (tag, digest string) {
	tags, digests := []string{c.key + "Tag"}, []string{c.key + "Digest"}
	if stem, cut := strings.CutSuffix(c.key, "Image"); cut {
		tags, digests = append(tags, stem+"Tag"), append(digests, stem+"Digest")
	}
	switch {
	case c.own:
	case c.tag:
		tags, digests = append(tags, "tag", "imageTag", "newTag"), append(digests, "digest", "imageDigest")
	default:
		tags = append(tags, "tag", "version", "imageTag", "newTag")
		digests = append(digests, "digest", "imageDigest")
	}
	first := func(keys []string) string {
		for _, k := range keys {
			if value := text(k); value != "" && !taken[k] {
				taken[k] = true
				return value
			}
		}
		return ""
	}
	tag, digest = first(tags), first(digests)
	if at := strings.IndexByte(tag, '@'); at >= 0 {
		tag, digest = tag[:at], tag[at+1:]
	}
	if strings.HasPrefix(tag, "sha256:") {
		tag, digest = "", tag
	}
	return tag, digest
}
