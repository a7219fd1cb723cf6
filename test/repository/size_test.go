package repository

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The bounds of a package that can be read at once. Most files are under 110 lines.
const (
	maxFile      = 300 // lines of a file
	maxFunction  = 60  // lines of a function
	maxFunctions = 5   // functions that may be longer
	maxComment   = 100 // columns of a line of comment
	maxPercent   = 3   // lines of comment that may be longer: links, tables, examples
)

// TestSizes checks the files and functions of the product, and the comments of all Go code.
func TestSizes(t *testing.T) {
	var functions, comments []string
	lines := 0 // of comments
	for _, f := range goFiles(t) {
		text := f.set.File(f.Pos())
		product := !strings.HasSuffix(f.path, "_test.go") && !slices.Contains([]string{"test", "magefiles", "examples"},
			f.part) && !strings.HasPrefix(f.path, "internal/testing/")
		if n := text.LineCount(); product && n > maxFile {
			t.Errorf("%s has %d lines, of at most %d: give a verb of its own a file of its own", f.path, n, maxFile)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !product {
				continue
			}
			if n := text.Line(fn.End()) - text.Line(fn.Pos()) + 1; n > maxFunction {
				functions = append(functions,
					fmt.Sprintf("%s:%d: %s, %d lines", f.path, text.Line(fn.Pos()), fn.Name.Name, n))
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				for n, line := range strings.Split(c.Text, "\n") {
					lines++
					column := 0
					if n == 0 {
						column = f.set.Position(c.Pos()).Column - 1 // tabs count as one
					}
					if column+utf8.RuneCountInString(line) > maxComment && !strings.HasPrefix(line, "//go:") &&
						!strings.HasPrefix(line, "//nolint") {
						comments = append(comments, fmt.Sprintf("%s:%d", f.path, text.Line(c.Pos())+n))
					}
				}
			}
		}
	}
	if len(functions) > maxFunctions {
		t.Errorf("%d functions are longer than %d lines, of at most %d:\n%s", len(functions), maxFunction, maxFunctions,
			strings.Join(functions, "\n"))
	}
	if lines < 1000 || len(comments)*100 > lines*maxPercent {
		t.Errorf("%d of %d lines of comments are longer than %d columns, of at most %d %%:\n%s",
			len(comments), lines, maxComment, maxPercent, strings.Join(comments, "\n"))
	}
}

// goFile is a parsed file of the repository.
type goFile struct {
	*ast.File

	path string // in the repository
	part string // its first directory
	set  *token.FileSet
}

// walk calls file for each file of the repository but outputs and test data, with its path there.
func walk(t *testing.T, file func(rel string) error) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return file(filepath.ToSlash(rel))
		case rel != "." && (d.Name()[0] == '.' || slices.Contains([]string{"dist", "testdata"}, d.Name())):
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goFiles parses all Go code of the repository but that in testdata, with its comments.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	walk(t, func(rel string) error {
		if filepath.Ext(rel) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, rel), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		part, _, _ := strings.Cut(rel, "/")
		files = append(files, goFile{f, rel, part, set})
		return nil
	})
	return files
}
