package run

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rows returns the names of the commands by the row of docs/dockerfile.md that they belong to.
func rows() map[string][]string {
	rows := map[string][]string{"a stage that compiles, also": append([]string{"go", "xx-go"}, setUp...)}
	for _, c := range commands() {
		for _, name := range strings.Fields(c.names) {
			if c.run != nil && name != "go" && name != "xx-go" {
				row := map[shell]string{sh: "Linux", cmd: "Windows, in cmd"}[c.in]
				rows[row] = append(rows[row], name)
			}
			if c.print != nil {
				row := "Linux, in `$(…)` and before a pipe"
				rows[row] = append(rows[row], name)
			}
		}
	}
	return rows
}

// TestDocument compares the commands of docs/dockerfile.md with those of the tables.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/dockerfile.md")
	if err != nil {
		t.Fatal(err)
	}
	for row, names := range rows() {
		want := slices.Sorted(slices.Values(names))
		if got := quotedIn(t, string(text), row, 1); !slices.Equal(got, want) {
			t.Errorf("docs/dockerfile.md, Commands of RUN, row %q has %v, and the tables of this package have %v: "+
				"write the names of the tables into the row", row, got, want)
		}
	}
}

// quotedIn returns the words in backquotes of a cell of a row, sorted.
func quotedIn(t *testing.T, text, row string, cell int) []string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n| "+row+" |")
	if !ok {
		t.Fatalf("there is no row %s", row)
	}
	line, _, _ := strings.Cut(rest, "\n")
	return words(strings.Split(line, "|")[cell-1])
}

func words(cell string) []string {
	var list []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return slices.Sorted(slices.Values(list))
}
