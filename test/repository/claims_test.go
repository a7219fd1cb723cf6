package repository

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClaims: each line of the table in docs/verifying.md that says what is proven names tests, and
// these exist.
func TestClaims(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/verifying.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| proven | test |\n|---|---|\n")
	if !ok {
		t.Fatal("docs/verifying.md does not begin with what is proven")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	declared := declaredTests(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	for line := range strings.Lines(table) {
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test is named for %s", line)
		}
		for _, m := range tests {
			if !declared[m[1]] {
				t.Errorf("%s does not exist, for %s", m[1], line)
			}
		}
	}
}

// TestKeysElsewhere: no document names a key where slipway refuses it, which is next to the release
// and above it. A relative name is one of these nearly always.
func TestKeysElsewhere(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"*.md", "docs/*.md", "report/notes/testdata/*.md", "cmd/slipway/*.go",
		"airgap/scripts/*",
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	relative := regexp.MustCompile(`[^\w]-(?:-?key[= ]|verify )[^/\s]\S*\.pub\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := relative.Find(text); m != nil && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s has %q: write /etc/slipway/keys/…", file, m)
		}
	}
}

// TestHeadings: no heading begins in the middle of a line, where it is text.
func TestHeadings(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "test/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %q, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if m := regexp.MustCompile(`(?m)^[^#\n].* ##+ [A-Z].*$`).Find(text); m != nil {
				t.Errorf("%s: %s", file, m)
			}
		}
	}
}

// declaredTests returns the names of all functions of the repository, with tests and fuzz targets.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, f := range goFiles(t) {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				all[f.Name.Name] = true
			}
		}
	}
	return all
}
