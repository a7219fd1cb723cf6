package run

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocument compares the commands of docs/dockerfile.md with those that are known.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/dockerfile.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[shell][]string{}
	for _, c := range commands() {
		for _, name := range strings.Fields(c.names) {
			if c.run != nil && !slices.Contains([]string{":", "go", "xx-go"}, name) {
				names[c.in] = append(names[c.in], name)
			}
		}
	}
	for row, want := range map[string][]string{
		"Linux":                       names[sh],
		"Windows, in cmd":             names[cmd],
		"a stage that compiles, also": append([]string{"go", "xx-go"}, setUp...),
	} {
		if got := quotedIn(t, string(text), row, 1); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("row %s has %v, want %v", row, got, want)
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
