package report

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiff is how many lines of a difference of manifests a page shows.
const maxDiff = 5000

// change is a line of the difference of two manifests. Old and New are its numbers; 0 where the
// file does not have it. A line without Kind begins a new place.
type change struct {
	Kind     string // "same", "gone", "new"
	Old, New int
	Text     string
}

// diff returns the lines that differ, with three lines around each.
func diff(old, now string) (all []change) {
	if old == "" || now == "" || old == now {
		return nil
	}
	d, err := udiff.ToUnifiedDiff("old", "new", old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		return nil // edits that Lines made fit the text
	}
	for _, h := range d.Hunks {
		a, b := h.FromLine, h.ToLine
		all = append(all, change{Text: "…"})
		for _, l := range h.Lines {
			if len(all) >= maxDiff {
				return append(all, change{Text: "and more: compare the files"})
			}
			text := strings.TrimSuffix(l.Content, "\n")
			switch l.Kind {
			case udiff.Delete:
				all = append(all, change{"gone", a, 0, text})
				a++
			case udiff.Insert:
				all = append(all, change{"new", 0, b, text})
				b++
			default:
				all = append(all, change{"same", a, b, text})
				a++
				b++
			}
		}
	}
	return all
}
