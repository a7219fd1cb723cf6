package product

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
)

var update = flag.Bool("update", false, "rewrite golden files")

// schemaFile is the schema for editors. This test generates it, so that the program does
// not contain the generator.
const schemaFile = "slipway.schema.json"

func TestSchema(t *testing.T) {
	comments := comments(t)
	r := jsonschema.Reflector{
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Anonymous:                  true,
		ExpandedStruct:             true,
		Namer:                      func(t reflect.Type) string { return strings.TrimSuffix(t.Name(), "YAML") },
		LookupComment: func(t reflect.Type, field string) string {
			return comments[t.Name()+"."+field]
		},
	}
	s := r.Reflect(&productYAML{})
	s.Title = File
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s is not current, run go test ./product -update:\n%s", schemaFile, diff)
	}
}

// TestDescribed checks that the schema has a description of every field.
func TestDescribed(t *testing.T) {
	comments := comments(t)
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				f := typ.Field(i)
				if comments[typ.Name()+"."+f.Name] == "" {
					t.Errorf("%s.%s has no comment", typ.Name(), f.Name)
				}
				visit(f.Type)
			}
		}
	}
	visit(reflect.TypeFor[productYAML]())
	if len(seen) < 10 {
		t.Errorf("only %d types found", len(seen))
	}
}

// comments returns the comments of types ("name.") and their fields ("name.Field").
func comments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				addComments(all, d)
				return false
			}
			return true
		})
	}
	return all
}

func addComments(all map[string]string, d *ast.GenDecl) {
	flat := func(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }
	for _, s := range d.Specs {
		s, ok := s.(*ast.TypeSpec)
		fields, isStruct := s.Type.(*ast.StructType)
		if !ok || !isStruct || !strings.HasSuffix(s.Name.Name, "YAML") {
			continue
		}
		// Editors do not need the Go name at the beginning.
		_, text, _ := strings.Cut(flat(d.Doc), " ")
		_, text, _ = strings.Cut(text, " ")
		if text != "" {
			all[s.Name.Name+"."] = strings.ToUpper(text[:1]) + text[1:]
		}
		for _, f := range fields.Fields.List {
			all[s.Name.Name+"."+f.Names[0].Name] = flat(f.Doc)
		}
	}
}
