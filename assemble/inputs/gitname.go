package inputs

import (
	"slices"
	"strings"
	"unicode"
)

// namesGit reports whether a part of a path is .git on some file system: in any case, as Windows
// shortens it, with what Windows drops from the end of a name or takes for a stream, with the
// characters that macOS does not look at.
func namesGit(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }),
		func(part string) bool {
			part, _, _ = strings.Cut(part, ":")
			part = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Cf, r) {
					return -1
				}
				return unicode.ToLower(r)
			}, part)
			part = strings.TrimRight(part, ". ")
			return part == ".git" || part == "git~1"
		})
}
