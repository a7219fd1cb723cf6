package mutants

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// TestMutants: every mutant has its function and its piece, and is Go that compiles.
func TestMutants(t *testing.T) {
	t.Parallel()
	if len(All) < 30 {
		t.Errorf("there are %d mutants, want 30", len(All))
	}
	exported := exports(t)
	seen := map[string]bool{}
	for _, m := range All {
		if seen[m.Name] || m.Name == "" || !strings.HasSuffix(m.Fault, ".") {
			t.Errorf("mutant %s: its name is taken, or its fault is no sentence: %q", m.Name, m.Fault)
		}
		seen[m.Name] = true
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			file, text, err := m.Apply(root)
			if err != nil {
				t.Fatal(err)
			}
			check(t, m, file, text, exported)
		})
	}
}

// check type-checks the package of a file, which has another text.
func check(t *testing.T, m Mutant, file string, text []byte, exported map[string]string) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	names, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if ok, err := build.Default.MatchFile(filepath.Split(name)); err != nil ||
			!ok || strings.HasSuffix(name, "_test.go") {
			continue
		}
		var src any
		if name == file {
			src = text
		}
		f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) }
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", open), GoVersion: "go1.26"}
	if _, err := conf.Check("example.com/"+path.Dir(m.File), set, files, nil); err != nil {
		t.Errorf("mutant %s does not compile: %v", m.Name, err)
	}
}

// exports returns the files that list what packages export, by import path.
func exports(t *testing.T) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-trimpath", "-export", "-deps", "-f",
		"{{.ImportPath}} {{.Export}}", "./cmd/slipway")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all[name] = file
		}
	}
	return all
}
