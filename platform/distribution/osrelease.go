package distribution

import (
	"strings"
	"unicode"
)

// Files are where a distribution names itself, in this order
// (https://www.freedesktop.org/software/systemd/man/latest/os-release.html).
var Files = []string{"/etc/os-release", "/usr/lib/os-release"}

// maxField bounds a text of os-release, in bytes. Those of real distributions have less than 200.
const maxField = 1024

// OSRelease is what os-release says of a system. A field that is not there is empty.
type OSRelease struct {
	ID       string
	Version  string // VERSION_ID
	Codename string // VERSION_CODENAME
}

// Parse reads an os-release. What is no line of one, is too long or has characters that do not
// print is left out.
func Parse(text []byte) (r OSRelease) {
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		if len(value) > maxField || strings.ContainsFunc(value, func(r rune) bool {
			return r == unicode.ReplacementChar || !unicode.IsPrint(r)
		}) {
			continue
		}
		switch key {
		case "ID":
			r.ID = value
		case "VERSION_ID":
			r.Version = value
		case "VERSION_CODENAME":
			r.Codename = value
		}
	}
	return r
}

// Release returns the distribution that r names, and its release. ok is false for a distribution
// that is not in the table; the release of a rolling one, and one that is not in the table, is
// empty.
func (r OSRelease) Release() (d Distribution, release Release, ok bool) {
	if d, ok = Find(r.ID); ok {
		release, _ = d.Release(r.Version)
	}
	return d, release, ok
}
