package run

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocument compares the commands of docs/dockerfile.md with those that are known.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/dockerfile.md")
	if err != nil {
		t.Fatal(err)
	}
	linux, windows := tools(), windowsTools()
	for _, hidden := range []string{":", "go", "xx-go"} {
		delete(linux, hidden)
		delete(windows, hidden)
	}
	var powershell []string
	for _, k := range cmdlets() {
		powershell = append(powershell, k.names[0])
	}
	for row, want := range map[string][]string{
		"Linux":                       slices.Collect(maps.Keys(linux)),
		"Windows, in cmd":             slices.Collect(maps.Keys(windows)),
		"Windows, in PowerShell":      powershell,
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
