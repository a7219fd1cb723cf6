package repository

import (
	"fmt"
	"go/ast"
	"go/doc"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// TestPackagesPage writes the tables of docs/packages.md: each package, what its doc comment says
// first, and what it imports of other rooms and of its own, without internal.
func TestPackagesPage(t *testing.T) {
	page := filepath.Join(root, "docs", "packages.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	imports := packages(t)
	synopses := map[string]string{}
	for _, f := range goFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(f.path))
		if f.part == "magefiles" || f.part == "examples" || nested(t, dir) {
			continue
		}
		if s := new(doc.Package).Synopsis(f.Doc.Text()); s != "" && synopses[dir] == "" {
			synopses[dir] = strings.TrimSuffix(said.ReplaceAllString(s, ""), ".")
		} else if _, ok := synopses[dir]; !ok {
			synopses[dir] = ""
		}
	}
	var rooms, others strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(synopses)) {
		if synopses[dir] == "" {
			t.Errorf("package %s has no doc comment: say what it is for", dir)
		}
		of, product := imports[dir]
		switch {
		case product:
			of = slices.DeleteFunc(slices.Clone(of), func(i string) bool { return strings.HasPrefix(i, "internal/") })
			name := "`" + dir + "`"
			if !strings.Contains(dir, "/") {
				name = "**" + name + "**"
			}
			fmt.Fprintf(&rooms, "| %s | %s | %s |\n", name, synopses[dir], strings.Join(of, ", "))
		default:
			fmt.Fprintf(&others, "| `%s` | %s |\n", dir, synopses[dir])
		}
	}
	head, rest, ok := strings.Cut(string(text), "\n## The rooms\n")
	_, walks, more := strings.Cut(rest, "\n## Walks\n")
	if !ok || !more {
		t.Fatal("docs/packages.md has no section The rooms, and Walks after it")
	}
	const intro = "\n## The rooms\n\nEach directory at the top is a room. `go test ./test/repository -run=TestPackagesPage -update` writes " +
		"these tables from doc comments and imports.\n\n| package | what it is for | imports, besides `internal` |\n|---|---|---|\n"
	golden.Compare(t, *update, page, head+intro+rooms.String()+
		"\nNot for import:\n\n| package | what it is for |\n|---|---|\n"+others.String()+"\n## Walks\n"+walks)
}

// said matches how a doc comment begins.
var said = regexp.MustCompile(`^(?:Package \w+|Command \w+|\w+) (?:is |are )?`)

// called matches what a walk calls, with the file that it is in: `publish.CheckAccess`
// (`reach.go`).
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
