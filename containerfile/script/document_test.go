package script

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDocument compares the words of the shell in docs/dockerfile.md with those that are known, and
// checks that TestShell has a line with each.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/dockerfile.md")
	if err != nil {
		t.Fatal(err)
	}
	syntax := []string{"if", "case", "for", "{ }", "( )", "!", "&&", `\|\|`}
	operators := slices.Concat([]string{"=", "!=", "-z", "-n"}, numberTests, fileTests)
	for row, want := range map[string][]string{
		"Linux, in the shell": slices.Concat(syntax, deciders, setters), "Linux, in `[`": operators,
	} {
		_, cell, _ := strings.Cut(string(text), "\n| "+row+" |")
		cell, _, _ = strings.Cut(cell, " |\n")
		var got []string
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("docs/dockerfile.md, Commands of RUN, row %q has %q, and the tables of this package have %q: "+
				"write the words of the tables into the row", row, got, want)
		}
	}
	lines := testedLines(t)
	for _, word := range slices.Concat(deciders, setters) {
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, word) || strings.Contains(line, " "+word)
		}) {
			t.Errorf("no line of a test has %s: add one to TestShell, or to fileconditions_test.go above", word)
		}
	}
}

// testedLines returns the scripts that tests read: the keys of their tables.
func testedLines(t *testing.T) (lines []string) {
	t.Helper()
	for _, name := range []string{"script_test.go", "../fileconditions_test.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(path.Base(name), err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, _ := strconv.Unquote(l.Value)
				lines = append(lines, text)
			}
			return true
		})
	}
	return lines
}
