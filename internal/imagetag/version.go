package imagetag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// version is what a tag names.
type version struct {
	form       string // the tag without its numbers and its prerelease
	numbers    []int
	prerelease prerelease
	build      int // of -build20251112; 0 if there is none
}

// prerelease is the part of a version that comes before its release: rc.1.
type prerelease struct {
	stage   int // by stages
	numbers []int
}

// stages are the words of prereleases in their order; the last has no word, since it is the
// release.
var stages = []string{"nightly", "snapshot", "canary", "dev", "a", "alpha", "b", "beta", "pre", "preview", "rc", ""}

var released = len(stages) - 1

const maxDigits = 9 // of a number, so that it is an int on every machine

var (
	tagForm = lazyregexp.New(`^(v?)([0-9]+(?:\.[0-9]+){1,3})((?:[^0-9.].*)?)$`)
	// A word of one letter has no separator before it, as in 3.15.0b2.
	prereleaseForm = lazyregexp.New(
		`^(?i:[-_]?(nightly|snapshot|canary|dev|alpha|beta|preview|pre|rc)|([ab]))([-.]?[0-9]+(?:\.[0-9]+)*)?($|[-_])`)
	buildForm   = lazyregexp.New(`([-_]build)([0-9]+)($|[-_.])`)
	windowsForm = lazyregexp.New(`^10\.0\.[1-9][0-9]{4}(?:\.|$)`)
)

// parse reads a tag. ok is false for one that does not name a version.
func parse(tag string) (v version, ok bool) {
	m := tagForm.FindStringSubmatch(tag)
	if m == nil {
		return version{}, false
	}
	for n, digits := range strings.Split(m[2], ".") {
		number, err := strconv.Atoi(digits)
		if err != nil || len(digits) > maxDigits || len(digits) > 1 && digits[0] == '0' || n == 0 && len(digits) > 3 {
			return version{}, false // a leading zero and a long first number are of a date
		}
		v.numbers = append(v.numbers, number)
	}
	rest := m[3]
	if v.prerelease, rest, ok = cutPrerelease(rest); !ok {
		return version{}, false
	}
	if b := buildForm.FindStringSubmatchIndex(rest); b != nil && b[5]-b[4] <= maxDigits {
		v.build, _ = strconv.Atoi(rest[b[4]:b[5]])
		rest = rest[:b[4]] + "#" + rest[b[5]:]
	}
	v.form = m[1] + strings.Repeat("#.", len(v.numbers)-1) + "#" + rest
	if windowsForm.MatchString(m[2]) {
		v.form = m[2][:len("10.0.20348")] + v.form // images of other builds do not replace each other
	}
	return v, true
}

// cutPrerelease cuts the prerelease off what follows the numbers of a version.
func cutPrerelease(s string) (p prerelease, rest string, ok bool) {
	m := prereleaseForm.FindStringSubmatchIndex(s)
	if m == nil {
		return prerelease{stage: released}, s, true
	}
	group := func(n int) string {
		if m[2*n] < 0 {
			return ""
		}
		return s[m[2*n]:m[2*n+1]]
	}
	if group(2) != "" && group(3) == "" {
		return prerelease{stage: released}, s, true // 1.1.1a is newer than 1.1.1
	}
	p.stage = slices.Index(stages, strings.ToLower(group(1)+group(2)))
	if digits := strings.Trim(group(3), "-."); digits != "" {
		for _, d := range strings.Split(digits, ".") {
			number, err := strconv.Atoi(d)
			if err != nil || len(d) > maxDigits {
				return p, s, false
			}
			p.numbers = append(p.numbers, number)
		}
	}
	return p, s[m[8]:], true
}

// mayReplace reports whether v is a newer version of from, in its form and within a level. A
// prerelease replaces only a prerelease.
func (v version) mayReplace(from version, level Level) bool {
	return v.form == from.form && v.compare(from) > 0 && v.numbers[0] == from.numbers[0] &&
		(v.prerelease.stage == released || from.prerelease.stage != released) && from.distance(v) <= level
}

// distance is [Minor] if two versions differ in their minor version, and otherwise [Patch].
func (v version) distance(to version) Level {
	if v.numbers[1] != to.numbers[1] {
		return Minor
	}
	return Patch
}

// compare orders versions of one form.
func (v version) compare(o version) int {
	return cmp.Or(
		slices.Compare(v.numbers, o.numbers),
		cmp.Compare(v.prerelease.stage, o.prerelease.stage),
		slices.Compare(v.prerelease.numbers, o.prerelease.numbers),
		cmp.Compare(v.build, o.build),
	)
}
