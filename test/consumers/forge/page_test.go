package forge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// page lists the forgeries.
const page = "../../../docs/results/forgeries.md"

// verdict is what the page has of a mechanism.
func (r result) verdict() string {
	switch {
	case len(r.wrong) > 0:
		return "**accepted, different**"
	case len(r.accepted) > 0:
		return "accepted, no difference"
	}
	return "refused"
}

// other is the first consumer that reads a forgery otherwise: of programs if there is one.
func (s *suite) other(r result) string {
	for _, c := range slices.Concat(s.programs, s.readers) {
		if r.otherwise[c.name] != "" {
			return c.name
		}
	}
	if all := slices.Sorted(maps.Keys(r.otherwise)); len(all) > 0 {
		return all[len(all)-1] // who uses files: sh is the last
	}
	return "–"
}

// write writes the tables of the page, or compares their verdicts with the results.
func (s *suite) page(results []result, write bool) {
	s.t.Helper()
	const begin, end = "<!-- table -->\n", "<!-- end -->\n"
	text := string(get(s.t, page))
	before, rest, ok := strings.Cut(text, begin)
	table, after, found := strings.Cut(rest, end)
	if !ok || !found {
		s.t.Fatalf("%s has no place for the tables", page)
	}
	if write {
		put(s.t, page, []byte(before+begin+s.tables(results)+end+after))
		return
	}
	listed := listing(table)
	for _, r := range results {
		row, ok := listed[r.family+"/"+r.name]
		if !ok || row != r.verdict() {
			s.t.Errorf("%s has %q of %s/%s, and it is %s: go test ./forge -update", page, row, r.family,
				r.name, r.verdict())
		}
	}
}

// listing returns the verdicts of the tables.
func listing(table string) map[string]string {
	all := map[string]string{}
	family := ""
	for line := range strings.Lines(table) {
		if f, ok := strings.CutPrefix(line, "### "); ok {
			family = strings.TrimSpace(f)
		}
		if c := strings.Split(line, " | "); len(c) == 3 && strings.HasPrefix(line, "| ") {
			all[family+"/"+strings.TrimPrefix(c[0], "| ")] = c[1]
		}
	}
	return all
}

// tables are those of all families.
func (s *suite) tables(results []result) string {
	var b strings.Builder
	family, count := "", map[string]int{}
	for _, r := range results {
		count[r.verdict()]++
		if r.family != family {
			family = r.family
			fmt.Fprintf(&b, "\n### %s\n\n| forgery | slipway | read otherwise by |\n|---|---|---|\n", family)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.name, r.verdict(), s.other(r))
	}
	return fmt.Sprintf("%d forgeries: %d refused, %d accepted without a difference, %d accepted and different.\n",
		len(results), count["refused"], count["accepted, no difference"],
		count["**accepted, different**"]) + b.String() + "\n"
}

// TestFamilies checks that each family has ten mechanisms or more, and no name twice.
func TestFamilies(t *testing.T) {
	total := 0
	for _, f := range families() {
		seen := map[string]bool{}
		for _, m := range f.list {
			if seen[m.name] || strings.Contains(m.name, "|") {
				t.Errorf("%s/%s is there twice, or has no name for a table", f.name, m.name)
			}
			seen[m.name] = true
		}
		if len(seen) < 10 {
			t.Errorf("%s has %d mechanisms", f.name, len(seen))
		}
		total += len(seen)
	}
	if total < 300 || len(families()) != 13 {
		t.Errorf("%d forgeries in %d families", total, len(families()))
	}
}
