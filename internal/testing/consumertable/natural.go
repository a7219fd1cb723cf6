package consumertable

import (
	"cmp"
	"strconv"
	"strings"
)

// natural compares strings as people sort them: 1.6 before 1.10.
func natural(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if c := cmp.Compare(a[0], b[0]); c != 0 {
				return c
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, _ := strconv.Atoi(a[:m]) // one that is too large is taken for the largest
		y, _ := strconv.Atoi(b[:n])
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		a, b = a[m:], b[n:]
	}
	return cmp.Compare(a, b)
}

// digits returns how many digits s begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
