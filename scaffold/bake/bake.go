// Package bake reads bake files of docker buildx, as far as their values are known without running
// anything: https://docs.docker.com/build/bake/reference/.
package bake

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// File is a bake file in HCL.
type File struct {
	Targets []Target
	Groups  map[string][]string

	text   []byte
	values map[string]cty.Value // of variables
	blocks map[string]*hclsyntax.Block
	steps  int
}

// Target is a target after those that it inherits, for one set of values of its matrix. A value
// that is not known has a $ in it.
type Target struct {
	Label                       string
	Line                        int // from 1
	Dockerfile, Context, Target string
	Args                        map[string]string
	Tags, Platforms             []string
	Inherits                    []string // targets, also through others
}

// Bounds on a file.
const (
	maxMatrix = 64       // targets of a matrix
	maxFile   = 64 << 10 // bytes: the parser's stack grows with the depth of nesting
	maxValue  = 1 << 10  // bytes of a value
	maxSteps  = 10_000   // targets, those that others inherit each time
)

// Read reads a file. given returns the value of a variable in a release, from its name and its
// default; one that is not known is ${NAME}. A file that is not HCL has no targets.
func Read(name string, text []byte, given func(name, def string) string) *File {
	f := &File{
		text: text, Groups: map[string][]string{}, values: map[string]cty.Value{},
		blocks: map[string]*hclsyntax.Block{},
	}
	if len(text) > maxFile {
		return f
	}
	parsed, _ := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if parsed == nil {
		return f
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return f
	}
	var order []string
	for _, b := range body.Blocks {
		if len(b.Labels) != 1 {
			continue
		}
		switch label := b.Labels[0]; b.Type {
		case "variable":
			v := given(label, f.attribute(b.Body.Attributes["default"], nil))
			f.values[label] = cty.StringVal(v[:min(len(v), maxValue)])
		case "target":
			if old := f.blocks[label]; old != nil { // the later one changes it
				maps.Copy(old.Body.Attributes, b.Body.Attributes)
				continue
			}
			f.blocks[label] = b
			order = append(order, label)
		case "group":
			f.Groups[label] = f.list(b.Body.Attributes["targets"], nil)
		}
	}
	for _, label := range order {
		for _, values := range f.matrix(f.blocks[label]) {
			t := Target{Label: label, Line: f.blocks[label].Range().Start.Line, Args: map[string]string{}}
			f.read(&t, label, values, 0)
			f.Targets = append(f.Targets, t)
		}
	}
	return f
}

// Called returns the targets of names that are called, also through groups. Without names, these
// are the targets of the default group, or all if that is missing.
func (f *File) Called(names []string) map[string]bool {
	called := map[string]bool{}
	var call func(label string)
	call = func(label string) {
		if called[label] {
			return
		}
		called[label] = true
		for _, inner := range f.Groups[label] {
			call(inner)
		}
	}
	if len(names) == 0 {
		names = []string{"default"}
	}
	for _, label := range names {
		call(label)
	}
	if len(called) == 1 && called["default"] && f.blocks["default"] == nil {
		for label := range f.blocks {
			called[label] = true
		}
	}
	return called
}

// matrix returns the values of a target's matrix, one empty set without a matrix.
func (f *File) matrix(b *hclsyntax.Block) []map[string]cty.Value {
	all := []map[string]cty.Value{{}}
	attr := b.Body.Attributes["matrix"]
	if attr == nil {
		return all
	}
	v, _ := attr.Expr.Value(f.context(nil))
	if v.IsNull() || !v.IsWhollyKnown() || !v.CanIterateElements() {
		return all
	}
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return all
	}
	of := v.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list := of[name]
		if !list.Type().IsTupleType() && !list.Type().IsListType() {
			continue
		}
		var next []map[string]cty.Value
		for _, before := range all {
			for i := 0; i < list.LengthInt() && len(next) < maxMatrix; i++ {
				one := maps.Clone(before)
				one[name] = list.Index(cty.NumberIntVal(int64(i)))
				next = append(next, one)
			}
		}
		all = next
	}
	return all
}

func (f *File) context(values map[string]cty.Value) *hcl.EvalContext {
	all := maps.Clone(f.values)
	maps.Copy(all, values)
	return &hcl.EvalContext{Variables: all}
}

// read reads a target after those that it inherits.
func (f *File) read(t *Target, label string, values map[string]cty.Value, depth int) {
	block := f.blocks[label]
	if f.steps++; block == nil || depth > len(f.blocks) || f.steps > maxSteps {
		return
	}
	attrs := block.Body.Attributes
	for _, from := range f.list(attrs["inherits"], values) {
		t.Inherits = append(t.Inherits, from)
		f.read(t, from, values, depth+1)
	}
	t.Dockerfile = cmp.Or(f.attribute(attrs["dockerfile"], values), t.Dockerfile)
	t.Context = cmp.Or(f.attribute(attrs["context"], values), t.Context)
	t.Target = cmp.Or(f.attribute(attrs["target"], values), t.Target)
	if tags := f.list(attrs["tags"], values); len(tags) > 0 {
		t.Tags = tags
	}
	if platforms := f.list(attrs["platforms"], values); len(platforms) > 0 {
		t.Platforms = platforms
	}
	if args, ok := attrs["args"]; ok {
		if object, ok := args.Expr.(*hclsyntax.ObjectConsExpr); ok {
			for _, i := range object.Items {
				if v, ok := f.known(i.ValueExpr, values); ok {
					t.Args[f.value(i.KeyExpr, values)] = v
				}
			}
		}
	}
}

// attribute is the value of an attribute, "" if the attribute is missing.
func (f *File) attribute(a *hclsyntax.Attribute, values map[string]cty.Value) string {
	if a == nil {
		return ""
	}
	return f.value(a.Expr, values)
}

// list are the values of an attribute that is a list.
func (f *File) list(a *hclsyntax.Attribute, values map[string]cty.Value) (list []string) {
	if a == nil {
		return nil
	}
	tuple, ok := a.Expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		return []string{f.value(a.Expr, values)}
	}
	for _, e := range tuple.Exprs {
		list = append(list, f.value(e, values))
	}
	return list
}

// value is what an expression gives, "" for null; one that needs a function, or more than that, is
// a text with a $.
func (f *File) value(e hclsyntax.Expression, values map[string]cty.Value) string {
	v, _ := f.known(e, values)
	return v
}

// known is the value of an expression; ok is false for null.
func (f *File) known(e hclsyntax.Expression, values map[string]cty.Value) (text string, ok bool) {
	v, diags := e.Value(f.context(values))
	switch {
	case diags.HasErrors() || !v.IsWhollyKnown():
	case v.IsNull():
		return "", false
	case v.Type() == cty.String && len(v.AsString()) <= maxValue:
		return v.AsString(), true
	case v.Type() == cty.Number:
		return v.AsBigFloat().Text('f', -1), true
	case v.Type() == cty.Bool && v.True():
		return "true", true
	case v.Type() == cty.Bool:
		return "false", true
	}
	return "$(" + strings.Join(strings.Fields(string(e.Range().SliceBytes(f.text))), " ") + ")", true
}
