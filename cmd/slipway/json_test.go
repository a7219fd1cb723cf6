package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/publish/github"
	"github.com/slipway-dev/slipway/publish/promote"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/release/doctor"
	"github.com/slipway-dev/slipway/release/reproduce"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/store"
)

// results are what commands print with -json, by the command's words.
var results = map[string][]any{
	"airgap apply":         {bundle.File{}},
	"airgap diff":          {bundle.Difference{}},
	"airgap extract":       {bundle.Extracted{}},
	"airgap inspect":       {inspecting{}},
	"airgap mirror-config": {airgap.ConfigFiles{}},
	"airgap pack":          {release.Packed{}},
	"airgap push":          {airgap.Pushed{}},
	"airgap split":         {bundle.Volumes{}},
	"audit":                {lint.Report{}, fixed{}},
	"check":                {checked{}},
	"doctor":               {doctor.Report{}},
	"github-release":       {github.Published{}},
	"images":               {release.ImageList{}},
	"keygen":               {signature.KeyFiles{}},
	"lint":                 {lint.Report{}},
	"merge":                {release.Summary{}},
	"nodes":                {nodes.Report{}},
	"pin":                  {pinned{}},
	"plan":                 {release.Plan{}, shard.Plan{}},
	"promote":              {promote.Promoted{}},
	"release":              {release.Summary{}},
	"reproduce":            {reproduce.Report{}},
	"stage build":          {release.StageResult{}},
	"stage publish":        {release.StageResult{}},
	"store clean":          {release.Leftovers{}},
	"store verify":         {store.Report{}},
	"verify":               {evidence.Report{}, evidence.Verified{}},
	"version":              {identity{}},
}

// TestJSON writes docs/json.md: the fields of what commands print with -json. A field is a promise
// to scripts, and says what it is.
func TestJSON(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Results as JSON\n\nThe fields that commands print with `-json`, in the order in which they print them. " +
		"`TestJSON` writes this page from the types and their comments. " +
		"`[]` is an element of a list, `*` a key of an object. A field with `?` is absent where it is empty.\n")
	missing := maps.Clone(results)
	var write func(cmd *cobra.Command)
	write = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "slipway ")
		if cmd.Flags().Lookup("json") != nil {
			if results[name] == nil {
				t.Errorf("%s has -json: add the type that it prints to results in json_test.go", name)
			}
			delete(missing, name)
			for n, v := range results[name] {
				f := fields{t: t, comments: map[string]map[string]string{}, within: map[reflect.Type]bool{}}
				f.add("", reflect.TypeOf(v))
				title := name
				if n > 0 {
					title += ", in another form"
				}
				fmt.Fprintf(&b, "\n## %s\n\n| field | type | meaning |\n|---|---|---|\n%s", title, f.rows.String())
			}
		}
		for _, sub := range cmd.Commands() {
			write(sub)
		}
	}
	write(newTree(io.Discard, io.Discard))
	for name := range missing {
		t.Errorf("%s has no -json", name)
	}
	golden.Compare(t, *update, "../../docs/json.md", b.String())
}

// fields are the rows of a table of fields.
type fields struct {
	t        *testing.T
	rows     strings.Builder
	comments map[string]map[string]string // by package path, of TYPE.FIELD
	within   map[reflect.Type]bool
}

var (
	marshaler = reflect.TypeFor[json.Marshaler]()
	texter    = reflect.TypeFor[encoding.TextMarshaler]()
)

// add adds the fields of a type below a path.
func (f *fields) add(path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Implements(marshaler), reflect.PointerTo(t).Implements(marshaler), t.Implements(texter), f.within[t]:
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		f.add(path+"[]", t.Elem())
	case t.Kind() == reflect.Map:
		f.add(path+".*", t.Elem())
	case t.Kind() == reflect.Struct:
		f.within[t] = true
		f.addStruct(path, t)
		delete(f.within, t)
	}
}

func (f *fields) addStruct(path string, t reflect.Type) {
	for n := range t.NumField() {
		s := t.Field(n)
		name, rest, _ := strings.Cut(s.Tag.Get("json"), ",")
		switch {
		case name == "-", !s.IsExported() && !s.Anonymous:
		case s.Anonymous && name == "" && s.Type.Kind() != reflect.Interface:
			f.add(path, s.Type)
		default:
			if name == "" {
				name = s.Name
			}
			at := strings.TrimPrefix(path+"."+name, ".")
			shown := "`" + at + "`"
			if strings.Contains(rest, "omit") {
				shown += "?"
			}
			comment := f.comment(t, s.Name)
			fmt.Fprintf(&f.rows, "| %s | %s | %s |\n", shown, kind(s.Type), strings.ReplaceAll(comment, "|", `\|`))
			f.add(at, s.Type)
		}
	}
}

// kind names a type as JSON has it.
func kind(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.String() == "time.Time":
		return "time"
	case t.Implements(texter), t.Implements(marshaler) && t.Kind() != reflect.Struct, t.String() == "v1.Hash":
		return "string"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "list"
	case reflect.Map, reflect.Struct, reflect.Interface:
		return "object"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	default:
		return "number"
	}
}

// comment returns the comment of a field of this module.
func (f *fields) comment(t reflect.Type, field string) string {
	dir, ours := strings.CutPrefix(t.PkgPath(), "github.com/slipway-dev/slipway/")
	if t.PkgPath() == "main" || strings.HasSuffix(t.PkgPath(), "cmd/slipway") {
		dir, ours = "cmd/slipway", true
	}
	if !ours {
		return ""
	}
	if f.comments[dir] == nil {
		f.comments[dir] = commentsIn(f.t, filepath.Join("../..", dir))
	}
	return f.comments[dir][t.Name()+"."+field]
}

// commentsIn returns the comments of the fields of a package, in one line each.
func commentsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					text := strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
					for _, name := range field.Names {
						all[spec.Name.Name+"."+name.Name] = text
					}
				}
			}
			return true
		})
	}
	return all
}
