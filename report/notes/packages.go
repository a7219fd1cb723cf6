package notes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/report/changes"
)

// packages states how many packages of a distribution each image has.
func packages(b *strings.Builder, r changes.Release) {
	if len(r.Packages) == 0 {
		return
	}
	b.WriteString("\n## Packages of distributions\n\n")
	for n, image := range slices.Sorted(maps.Keys(r.Packages)) {
		if n == maxLines || b.Len() > maxTables {
			fmt.Fprintf(b, "- and %d more images\n", len(r.Packages)-n)
			break
		}
		fmt.Fprintf(b, "- %s has %d, which its bill of materials lists\n", code(image), len(r.Packages[image]))
	}
}
