package network

import "fmt"

// Bounds on a list that comes in pages. Registries send fifty entries on a page and more; after
// the first pages, which may be short, so many are expected of each.
const (
	shortPages = 20
	fullPage   = 20
)

// pages counts the pages of a list, and the entries that were not on an earlier one.
type pages struct {
	count int
	seen  map[string]bool
}

// add counts a page, and fails if the list grows so slowly that it may have no end.
func (p *pages) add(entries []string) error {
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	for _, e := range entries {
		p.seen[e] = true
	}
	if p.count++; p.count > shortPages && len(p.seen) < fullPage*p.count {
		return fmt.Errorf("the list has %d pages with %d entries, as no registry sends", p.count, len(p.seen))
	}
	return nil
}
