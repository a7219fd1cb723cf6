package platform

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Compare orders platforms as an index lists them: Linux before Windows, then Windows from
// newest to oldest, because older containerd takes the first manifest that matches, then by
// architecture and variant. A platform with features comes after the one without, because older
// containerd does not look at them.
func Compare(a, b Platform) int {
	return cmp.Or(
		cmp.Compare(a.OS, b.OS),
		-compareVersions(a.OSVersion, b.OSVersion),
		cmp.Compare(a.Architecture, b.Architecture),
		cmp.Compare(a.Variant, b.Variant),
		cmp.Compare(a.OSFeatures, b.OSFeatures),
	)
}

// Sort orders platforms by [Compare].
func Sort(ps []Platform) { slices.SortStableFunc(ps, Compare) }

// compareVersions compares dotted decimal numbers part by part. A missing part is less than 0.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if c := cmp.Compare(part(as, i), part(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return -1
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}
