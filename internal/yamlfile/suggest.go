package yamlfile

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Suggest returns what to write instead of a name that does not exist: the probable name, or else
// the list of names.
func Suggest(name string, names []string) string {
	if n, ok := closest(name, names); ok {
		return "did you mean " + n + "?"
	}
	if len(names) == 0 {
		return "there are none"
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return "use " + strings.Join(names, ", ")
}

// closest returns the name that s was probably meant to be: one at a distance of two at most, and
// less than half its length.
func closest(s string, names []string) (string, bool) {
	best, least := "", 3
	for _, n := range names {
		if len(s) > len(n)+2 {
			continue
		}
		if d := levenshtein.Distance(strings.ToLower(s), strings.ToLower(n), nil); d < least && 2*d < len(n) {
			best, least = n, d
		}
	}
	return best, best != ""
}
