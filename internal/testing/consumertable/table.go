// Package consumertable keeps the tables of docs/results/consumers.md: what tests saw real
// programs do, a row for each way to call one.
//
// A test records rows. After all tests of a module [Main] compares the rows with the page, or
// writes them there with -update. A row has the observed result, not the wanted one: the tests
// themselves report faults. Rows have neither times nor paths, and of versions major and minor
// only, so that they are the same from run to run.
package consumertable

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Table is one of the page's tables, between the comments <!-- table NAME --> and <!-- end -->.
type Table struct {
	Name    string
	Columns []string
	// Keys is how many of the columns name the action; the others have its result. Two rows that
	// agree in the first agree in all.
	Keys int
	// Page is the file that has the table, where that is not the page of the other tables.
	Page string

	mu   sync.Mutex
	rows []row
}

type row struct {
	cells []string
	test  string // that saw it first
}

// Record adds a row to the table, a cell for each column, or fails the test where another has
// something else for the same keys.
func (t *Table) Record(tb testing.TB, cells ...string) {
	tb.Helper()
	if len(cells) != len(t.Columns) {
		tb.Fatalf("%d cells for the %d columns of %s: %q", len(cells), len(t.Columns), t.Name, cells)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.rows {
		if slices.Equal(r.cells[:t.Keys], cells[:t.Keys]) {
			if !slices.Equal(r.cells, cells) {
				tb.Errorf("%s: this is %q here, %q in %s", strings.Join(cells[:t.Keys], ", "), cells[t.Keys:],
					r.cells[t.Keys:], r.test)
			}
			return
		}
	}
	t.rows = append(t.rows, row{slices.Clone(cells), tb.Name()})
}

// lines are the rows as the page has them, sorted.
func (t *Table) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for _, r := range t.rows {
		all = append(all, line(r.cells))
	}
	return sorted(all)
}

// head returns the lines above the rows.
func (t *Table) head() []string {
	return []string{line(t.Columns), "|" + strings.Repeat("---|", len(t.Columns))}
}

func line(cells []string) string {
	escaped := make([]string, len(cells))
	for n, c := range cells {
		escaped[n] = strings.ReplaceAll(c, "|", `\|`)
	}
	return fmt.Sprintf("| %s |", strings.Join(escaped, " | "))
}

// key is the part of a line that names the action.
func (t *Table) key(line string) string {
	cells := strings.Split(line, " | ")
	return strings.Join(cells[:min(t.Keys, len(cells))], " | ")
}

// sorted puts lines into the order of the page: letters by the alphabet, and numbers, which are
// in versions, by value.
func sorted(lines []string) []string {
	slices.SortFunc(lines, natural)
	return slices.Compact(lines)
}
