package imagetag

// Newest returns the newest version of a list in the form of tag, across major versions. A
// prerelease counts only if tag is one. The result is "" if none is newer than tag.
func Newest(tag string, list []string) string {
	return newest(tag, list, func(order int) bool { return order > 0 })
}

// Before returns the newest version of a list that comes before tag, in its form. A prerelease
// counts only if tag is one. The result is "" without such a version.
func Before(tag string, list []string) string {
	return newest(tag, list, func(order int) bool { return order < 0 })
}

// newest returns the newest of the tags whose order, compared with tag, counts.
func newest(tag string, list []string, counts func(order int) bool) (found string) {
	from, ok := parse(tag)
	if !ok {
		return ""
	}
	var best version
	for _, t := range list {
		v, ok := parse(t)
		if ok && v.form == from.form && counts(v.compare(from)) && (found == "" || v.compare(best) > 0) &&
			(v.prerelease.stage == released || from.prerelease.stage != released) {
			found, best = t, v
		}
	}
	return found
}
