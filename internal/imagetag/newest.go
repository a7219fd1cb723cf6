package imagetag

// Newest returns the newest version of a list in the form of tag, across major versions. A
// prerelease counts only if tag is one. It returns "" if none is newer than tag.
func Newest(tag string, list []string) string {
	from, ok := parse(tag)
	if !ok {
		return ""
	}
	newest, best := "", from
	for _, t := range list {
		v, ok := parse(t)
		if ok && v.form == from.form && v.compare(best) > 0 &&
			(v.prerelease.stage == released || from.prerelease.stage != released) {
			newest, best = t, v
		}
	}
	return newest
}
