package maintainer

import "strings"

// compareVersions orders versions as dpkg does (deb-version(7)): negative where a is earlier.
func compareVersions(a, b string) int {
	ea, ua, ra := splitVersion(a)
	eb, ub, rb := splitVersion(b)
	for _, pair := range [][2]string{{ea, eb}, {ua, ub}, {ra, rb}} {
		if n := comparePart(pair[0], pair[1]); n != 0 {
			return n
		}
	}
	return 0
}

func splitVersion(v string) (epoch, upstream, revision string) {
	v = strings.TrimSpace(v)
	if n := strings.IndexByte(v, ':'); n >= 0 {
		epoch, v = v[:n], v[n+1:]
	}
	if n := strings.LastIndexByte(v, '-'); n >= 0 {
		v, revision = v[:n], v[n+1:]
	}
	return epoch, v, revision
}

// order is the weight of a character that is no digit: a tilde before the end, letters before all
// else.
func order(s string, n int) int {
	if n >= len(s) {
		return 0
	}
	switch c := s[n]; {
	case c >= '0' && c <= '9':
		return 0
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return int(c)
	case c == '~':
		return -1
	default:
		return int(c) + 256
	}
}

func comparePart(a, b string) int {
	digit := func(s string, n int) bool { return n < len(s) && s[n] >= '0' && s[n] <= '9' }
	for i, j := 0, 0; i < len(a) || j < len(b); {
		for i < len(a) && !digit(a, i) || j < len(b) && !digit(b, j) {
			if x, y := order(a, i), order(b, j); x != y {
				return x - y
			}
			i++
			j++
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		first := 0
		for digit(a, i) && digit(b, j) {
			if first == 0 {
				first = int(a[i]) - int(b[j])
			}
			i++
			j++
		}
		switch {
		case digit(a, i):
			return 1
		case digit(b, j):
			return -1
		case first != 0:
			return first
		}
		i, j = min(i, len(a)), min(j, len(b))
	}
	return 0
}
