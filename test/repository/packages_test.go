package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listed matches the first cell of a row of docs/packages.md.
var listed = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")

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
