package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestTargetsIsolate: the targets that make a release to test or measure it must not do so with
// the user's registry, to which it would be published, or the user's SOURCE_DATE_EPOCH. hunt runs
// Explore, Torture, Forge and Draw.
func TestTargetsIsolate(t *testing.T) {
	missing := map[string]bool{"Test": true, "Suites": true, "Suite": true, "Bench": true, "Golden": true, "hunt": true}
	for _, name := range []string{"test.go", "suites.go", "dev.go", "hunts.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "magefiles", name), nil,
			parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if target, ok := d.(*ast.FuncDecl); ok && missing[target.Name.Name] &&
				calls(target.Body.List[0], "isolate") {
				delete(missing, target.Name.Name)
			}
		}
	}
	for name := range missing {
		t.Errorf("target %s does not begin with isolate()", name)
	}
}

// named matches the imports that patterns of the targets look for.
var named = regexp.MustCompile(`\bslipway/([a-z/]+)"`)

// TestTargetsNamePackages: a pattern for a package that moved matches nothing, and its tests would
// run without the race detector.
func TestTargetsNamePackages(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "magefiles", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := os.Stat(filepath.Join(root, name[1])); err != nil {
				t.Errorf("%s names a package that does not exist: %v", file, err)
			}
		}
	}
	if found == 0 {
		t.Error("no package is found in magefiles")
	}
}

// quotedPath matches a file of the repository in a page; capitals are for the reader to replace.
var quotedPath = regexp.MustCompile("(?:^|[\\s`\\[])((?:docs|test|cmd|internal|magefiles)/[a-z0-9_./-]+\\.(?:go|md|txtar|json))\\b")

// TestPathsInPages: a path from the root of the repository is of a file that exists.
func TestPathsInPages(t *testing.T) {
	found := 0
	for _, b := range pageBlocks(t) {
		for _, m := range quotedPath.FindAllStringSubmatch(b.text, -1) {
			found++
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s:%d: %s does not exist", b.file, b.line, m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d paths are found", found)
	}
}

func calls(n ast.Node, function string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == function {
				found = true
			}
		}
		return !found
	})
	return found
}
