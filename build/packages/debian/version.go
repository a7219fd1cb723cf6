package debian

import (
	"strconv"
	"strings"

	"pault.ag/go/debian/version"
)

// Compare compares two versions as dpkg and apt do: it returns a negative number if a is older
// than b, and zero if they are equal.
func Compare(a, b string) int {
	if a == b {
		return 0
	}
	return version.Compare(split(a), split(b))
}

// split divides a version into epoch, upstream version and revision. Unlike dpkg it accepts every
// text, since apt orders versions that dpkg would refuse.
func split(s string) version.Version {
	var v version.Version
	if epoch, rest, ok := strings.Cut(s, ":"); ok {
		if n, err := strconv.ParseUint(epoch, 10, 32); err == nil {
			v.Epoch, s = uint(n), rest
		}
	}
	if n := strings.LastIndexByte(s, '-'); n >= 0 {
		s, v.Revision = s[:n], s[n+1:]
	}
	v.Version = s
	return v
}

// operator is how a relation compares versions.
type operator uint8

const (
	anyVersion operator = iota
	lessEqual
	greaterEqual
	less
	greater
	equal
	notEqual // only of implicit relations
)

var operators = [...]string{"", "<=", ">=", "<<", ">>", "=", "!="}

func (o operator) String() string { return operators[o] }

// satisfies reports whether a version fulfills a relation. A package that is provided without a
// version only fulfills relations without one.
func satisfies(have string, op operator, want string) bool {
	if want == "" {
		return true
	}
	if have == "" {
		return false
	}
	c := Compare(have, want)
	switch op {
	case lessEqual:
		return c <= 0
	case greaterEqual:
		return c >= 0
	case less:
		return c < 0
	case greater:
		return c > 0
	case equal:
		return c == 0
	case notEqual:
		return c != 0
	}
	return false
}
