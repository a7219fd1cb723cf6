package control

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Version is a version of a package: [epoch:]upstream[-revision]. The zero value is none.
type Version struct {
	Epoch              int
	Upstream, Revision string
}

// IsZero reports whether there is no version.
func (v Version) IsZero() bool { return v == Version{} }

// String returns the version as dpkg writes it: without an epoch of zero, unless the version has
// a colon.
func (v Version) String() string {
	s := v.Upstream
	if v.Epoch != 0 || strings.Contains(v.Upstream, ":") {
		s = strconv.Itoa(v.Epoch) + ":" + s
	}
	if v.Revision != "" {
		s += "-" + v.Revision
	}
	return s
}

// ParseVersion parses a version.
func ParseVersion(s string) (Version, error) {
	var v Version
	s = strings.Trim(s, " \t")
	if s == "" || strings.ContainsAny(s, space) {
		return v, fmt.Errorf("%q is not a version: it is empty or has spaces", s)
	}
	rest := s
	if epoch, after, ok := strings.Cut(s, ":"); ok {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt32 || after == "" {
			return v, fmt.Errorf("%q is not a version: it has a wrong epoch", s)
		}
		v.Epoch, rest = int(n), after
	}
	v.Upstream = rest
	if n := strings.LastIndexByte(rest, '-'); n >= 0 {
		v.Upstream, v.Revision = rest[:n], rest[n+1:]
		if v.Revision == "" {
			return Version{}, fmt.Errorf("%q is not a version: its revision is empty", s)
		}
	}
	if v.Upstream == "" || !isDigit(v.Upstream[0]) {
		return Version{}, fmt.Errorf("%q is not a version: it does not begin with a digit", s)
	}
	if !only(v.Upstream, ".-+~:") || !only(v.Revision, ".+~") {
		return Version{}, fmt.Errorf("%q is not a version: it has a character that versions do not have", s)
	}
	return v, nil
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// only reports whether s has letters, digits and what is in more.
func only(s, more string) bool {
	for n := range len(s) {
		if !isDigit(s[n]) && !isLetter(s[n]) && strings.IndexByte(more, s[n]) < 0 {
			return false
		}
	}
	return true
}

// Compare compares two versions: negative if v is older.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Epoch, w.Epoch), compare(v.Upstream, w.Upstream), compare(v.Revision, w.Revision))
}

// compare compares parts of versions: what is not a number by the order of characters, numbers by
// their value.
func compare(a, b string) int {
	for a != "" || b != "" {
		for a != "" && !isDigit(a[0]) || b != "" && !isDigit(b[0]) {
			if c := cmp.Compare(order(a), order(b)); c != 0 {
				return c
			}
			a, b = a[1:], b[1:]
		}
		var x, y string
		x, a = number(a)
		y, b = number(b)
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	return 0
}

// order is the weight of the first character of s: a tilde comes before the end.
func order(s string) int {
	switch {
	case s == "" || isDigit(s[0]):
		return 0
	case isLetter(s[0]):
		return int(s[0])
	case s[0] == '~':
		return -1
	}
	return int(s[0]) + 256
}

// number cuts off the digits at the begin of s, without zeros in front.
func number(s string) (digits, rest string) {
	s = strings.TrimLeft(s, "0")
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n], s[n:]
}

// Op is how a relation compares versions: <<, <=, =, >=, >>, or empty for any version.
type Op string

// Satisfied reports whether version v is in the relation to w.
func (o Op) Satisfied(v, w Version) bool {
	c := v.Compare(w)
	switch o {
	case "<<":
		return c < 0
	case "<=":
		return c <= 0
	case "=":
		return c == 0
	case ">=":
		return c >= 0
	case ">>":
		return c > 0
	}
	return true
}
