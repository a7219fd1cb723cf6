package scaffold

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/internal/output"
)

// leftOut is what has no place in slipway.yaml, of one kind.
type leftOut struct {
	kind  string
	items []string
}

// leave notes what has no place in slipway.yaml, once.
func (d *Draft) leave(kind, format string, args ...any) {
	n := slices.IndexFunc(d.left, func(l leftOut) bool { return l.kind == kind })
	if n < 0 {
		n = len(d.left)
		d.left = append(d.left, leftOut{kind: kind})
	}
	d.left[n].items = appendNew(d.left[n].items, output.Line(fmt.Sprintf(format, args...)))
}
