// Package mutants takes the mends of faults out of slipway again, one at a time, to see whether
// package explore finds them.
//
// A [Mutant] names a function and a piece of its source. [Mutant.Apply] replaces that in a copy of
// the file, and [Mutant.Build] compiles the command with an overlay, so that the tree stays as it
// is. A mutant whose function or piece is gone is stale: the tests of this package fail.
package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Mutant is a fault of the past.
type Mutant struct {
	Name  string
	Fault string // what happened, as a sentence
	File  string // below the root of the module, with slashes
	Func  string // name or Type.name
	Old   string // is in the function once; blanks count as one
	New   string
}

// Apply returns the text of the file with the fault.
func (m Mutant) Apply(root string) (path string, text []byte, err error) {
	path = filepath.Join(root, filepath.FromSlash(m.File))
	src, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	from, to, err := m.function(set, file)
	if err != nil {
		return "", nil, err
	}
	at, end, n := find(string(src[from:to]), m.Old)
	if n != 1 {
		return "", nil, fmt.Errorf("mutant %s is stale: %s of %s has its piece %d times, not once:\n%s", m.Name, m.Func,
			m.File, n, m.Old)
	}
	text = append(append(append(text, src[:from+at]...), m.New...), src[from+end:]...)
	if _, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution); err != nil {
		return "", nil, fmt.Errorf("mutant %s is not Go: %w", m.Name, err)
	}
	return path, text, nil
}

// function returns where the function begins and ends.
func (m Mutant) function(set *token.FileSet, file *ast.File) (from, to int, err error) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || name(f) != m.Func {
			continue
		}
		return set.Position(f.Pos()).Offset, set.Position(f.End()).Offset, nil
	}
	return 0, 0, fmt.Errorf("mutant %s is stale: %s has no %s", m.Name, m.File, m.Func)
}

// name returns the name of a function, or Type.name of a method.
func name(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if i, ok := of.(*ast.Ident); ok {
		return i.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// find returns where a text has a piece, and how often. Blanks of any length are the same.
func find(text, piece string) (from, to, times int) {
	short, at := normal(text)
	piece, _ = normal(strings.TrimSpace(piece))
	if times = strings.Count(short, piece); times != 1 {
		return 0, 0, times
	}
	n := strings.Index(short, piece)
	return at[n], at[n+len(piece)-1] + 1, 1
}

// normal replaces blanks by one each. at states where each byte is in the text.
func normal(text string) (short string, at []int) {
	var b strings.Builder
	blank := false
	for i := range len(text) {
		c := text[i]
		if strings.IndexByte(" \t\n", c) >= 0 {
			if blank {
				continue
			}
			blank, c = true, ' '
		} else {
			blank = false
		}
		b.WriteByte(c)
		at = append(at, i)
	}
	return b.String(), at
}
