package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestTargetsIsolate: the targets that make a release to test or measure it must not do so with
// the user's registry, to which it would be published, or the user's SOURCE_DATE_EPOCH. hunt runs
// Explore, Torture, Forge and Draw.
func TestTargetsIsolate(t *testing.T) {
	missing := map[string]bool{"Test": true, "Bench": true, "Golden": true, "Cluster": true, "hunt": true}
	for _, name := range []string{"test.go", "dev.go", "cluster.go", "hunts.go"} {
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
