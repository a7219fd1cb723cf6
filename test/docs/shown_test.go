package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// value is what differs from release to release in what a command prints: numbers, times and
// digests, addresses of packages.
var value = regexp.MustCompile(`SHA256:\S+|sha256:[0-9a-f…]+|pkg:\S+|[0-9][0-9T:.Z-]*`)

// missing returns the first line of a page's output that a command did not print, but for values
// and in this order. The command may print more, such as its progress.
func missing(printed, shown string) string {
	lines := strings.Split(value.ReplaceAllString(printed, "0"), "\n")
	for line := range strings.Lines(shown) {
		line = strings.TrimSuffix(line, "\n")
		n := slices.Index(lines, value.ReplaceAllString(line, "0"))
		if n < 0 {
			return line
		}
		lines = lines[n+1:]
	}
	return ""
}

// TestMissing distinguishes output of another release from other output.
func TestMissing(t *testing.T) {
	const printed = "reading …\nkey: SHA256:abc+/=, by me\nimages: 1 of 12\nsince: 2026-11-24T15:51:09Z, sha256:0a…\n"
	for shown, want := range map[string]string{
		"key: SHA256:ABC, by me\nimages: 7 of 7\nsince: 2025-01-16T21:57:50Z, sha256:fe12\n": "",
		"images: 7 of 7\nkey: SHA256:ABC, by me\n":                                           "key: SHA256:ABC, by me",
		"charts: 7 of 7\n": "charts: 7 of 7",
	} {
		if got := missing(printed, shown); got != want {
			t.Errorf("%q: %q is missing, want %q", shown, got, want)
		}
	}
}
