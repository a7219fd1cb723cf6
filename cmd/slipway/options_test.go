package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// TestOptionsAreRead checks that every command reads each option that it accepts: the variable of a
// flag is used by something that the command reaches, besides the call that registers it.
func TestOptionsAreRead(t *testing.T) {
	s := parseSource(t)
	commands, options := 0, 0
	for f := range s.bodies {
		if !isCommand(f) {
			continue
		}
		commands++
		registered, read := s.options(f)
		for o, name := range registered {
			options++
			if !read[o] {
				t.Errorf("%s accepts -%s, and nothing reads it: make it a usage error", f.Name(), name)
			}
		}
	}
	if commands < 30 || options < 100 {
		t.Errorf("%d commands with %d options were found", commands, options)
	}
}

// source is the package, with the types of its own; other packages are not looked at.
type source struct {
	info   *types.Info
	bodies map[*types.Func]*ast.BlockStmt
}

func parseSource(t *testing.T) *source {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		p, err := parser.ParseFile(set, f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, p)
	}
	s := &source{
		info:   &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
		bodies: map[*types.Func]*ast.BlockStmt{},
	}
	c := types.Config{Importer: nameless{}, Error: func(error) {}} // that names of other packages are unknown
	c.Check("main", set, parsed, s.info)                           //nolint:errcheck // as above
	for _, p := range parsed {
		for _, d := range p.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				if o, ok := s.info.Defs[f.Name].(*types.Func); ok {
					s.bodies[o] = f.Body
				}
			}
		}
	}
	return s
}

// nameless imports packages without names.
type nameless struct{}

func (nameless) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	return p, nil
}

func isCommand(f *types.Func) bool {
	return strings.HasPrefix(f.Name(), "new") && f.Name() != "newRoot" && f.Signature().Recv() == nil && f.Signature().Results().Len() == 1
}

// options returns the variables that the flags of a command set, by their names, and the variables
// that the functions which it reaches read.
func (s *source) options(command *types.Func) (registered map[types.Object]string, read map[types.Object]bool) {
	registered, read = map[types.Object]string{}, map[types.Object]bool{}
	seen := map[*types.Func]bool{command: true}
	queue := []*types.Func{command}
	for n := 0; n < len(queue); n++ {
		set := map[*ast.Ident]bool{} // in a call that registers a flag
		ast.Inspect(s.bodies[queue[n]], func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CallExpr:
				if id, name := flagOf(node); id != nil {
					set[id] = true
					if o := s.info.Uses[id]; o != nil {
						registered[o] = name
					}
				}
			case *ast.Ident:
				o := s.info.Uses[node]
				if f, ok := o.(*types.Func); ok && s.bodies[f] != nil && !seen[f] && !isCommand(f) {
					seen[f] = true
					queue = append(queue, f)
				}
				if o != nil && !set[node] {
					read[o] = true
				}
			}
			return true
		})
	}
	return registered, read
}

// flagOf returns the variable, and the name, of a call that registers a flag: cmd.Flags().BoolVar(&f.x,
// "x", …).
func flagOf(c *ast.CallExpr) (variable *ast.Ident, name string) {
	fun, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || len(c.Args) < 3 || !strings.HasSuffix(strings.TrimSuffix(fun.Sel.Name, "P"), "Var") {
		return nil, ""
	}
	at, ok := c.Args[0].(*ast.UnaryExpr)
	text, isText := c.Args[1].(*ast.BasicLit)
	if !ok || !isText {
		return nil, ""
	}
	switch x := at.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel, strings.Trim(text.Value, `"`)
	case *ast.Ident:
		return x, strings.Trim(text.Value, `"`)
	}
	return nil, ""
}
