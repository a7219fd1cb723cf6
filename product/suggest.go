package product

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// suggestion returns the name that s was probably meant to be: one at a distance of two at most,
// and nearer than half its length.
func suggestion(s string, names []string) (string, bool) {
	best, at := "", 3
	for _, n := range names {
		if len(s) > len(n)+2 {
			continue
		}
		if dist := levenshtein.Distance(strings.ToLower(s), strings.ToLower(n), nil); dist < at && 2*dist < len(n) {
			best, at = n, dist
		}
	}
	return best, best != ""
}

// choose says what to write instead of s.
func choose(s string, names []string) string {
	if n, ok := suggestion(s, names); ok {
		return "did you mean " + n + "?"
	}
	if len(names) == 0 {
		return "there are none"
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return "use " + strings.Join(names, ", ")
}
