package containerfile

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	parsed "github.com/moby/buildkit/frontend/dockerfile/command"
)

// TestDocument compares the instructions and arguments of docs/dockerfile.md with those that are
// known.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/dockerfile.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| (`[A-Z` ]+) \\|").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, words(m[1])...)
	}
	var want []string
	for name := range parsed.Commands {
		want = append(want, strings.ToUpper(name))
	}
	slices.Sort(rows)
	slices.Sort(want)
	if !slices.Equal(rows, want) {
		t.Errorf("the instructions are %v, want %v", rows, want)
	}
	for _, name := range platformArgs(Input{}).Keys() {
		if !strings.HasPrefix(name, "BUILD") && !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("argument %s is missing", name)
		}
	}
}

func words(cell string) []string {
	var list []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return slices.Sorted(slices.Values(list))
}
