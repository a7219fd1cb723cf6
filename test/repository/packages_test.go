package repository

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listed matches the first cell of a row of docs/packages.md.
var listed = regexp.MustCompile("(?m)^\\| (?:\\*\\*)?(`[^|*]+`)(?:\\*\\*)? \\|")

// TestPackagesPage checks that the map of packages lists each package once, and no other.
func TestPackagesPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "packages.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range listed.FindAllStringSubmatch(string(text), -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			rows = append(rows, strings.Trim(name, "`"))
		}
	}
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(f.path))
		if f.part != "magefiles" && f.part != "examples" && !nested(t, dir) {
			found[dir] = true
		}
	}
	for dir := range found {
		if n := len(slices.DeleteFunc(slices.Clone(rows), func(r string) bool { return r != dir })); n != 1 {
			t.Errorf("docs/packages.md lists %s %d times: give it one row, which says what it is for", dir, n)
		}
	}
	for _, row := range rows {
		if fi, err := os.Stat(filepath.Join(root, row)); err != nil || !fi.IsDir() {
			t.Errorf("docs/packages.md lists %s, which does not exist", row)
		}
	}
}

// called matches what a walk calls, with the file that it is in: `publish.Reach` (`reach.go`).
var called = regexp.MustCompile("`([\\w.]+)` \\(`([\\w/]+\\.go)`")

// TestWalks checks that the functions of the walks are in the files that these name.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "packages.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walks, ok := strings.Cut(string(text), "\n## Walks\n")
	steps := called.FindAllStringSubmatch(walks, -1)
	if !ok || len(steps) < 20 {
		t.Fatalf("only %d functions are found in the walks", len(steps))
	}
	declared := map[string][]string{} // files by the names that they declare
	for _, f := range goFiles(t) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				declared[fn.Name.Name] = append(declared[fn.Name.Name], "/"+f.path)
			}
		}
	}
	for _, step := range steps {
		function := step[1][strings.LastIndexByte(step[1], '.')+1:]
		if !slices.ContainsFunc(declared[function], func(f string) bool { return strings.HasSuffix(f, "/"+step[2]) }) {
			t.Errorf("docs/packages.md has %s in %s, which does not declare it; these do: %s", step[1],
				step[2], declared[function])
		}
	}
}

// nested reports whether a directory belongs to another module.
func nested(t *testing.T, dir string) bool {
	t.Helper()
	for at := dir; at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
		if _, err := os.Stat(filepath.Join(root, at, "go.mod")); err == nil {
			return true
		}
	}
	return false
}
