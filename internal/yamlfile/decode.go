package yamlfile

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// variable decodes n into v and remembers its position. Tags are those of the struct field.
func (d *Document) variable(key, n *yaml.Node, v reflect.Value, tags reflect.StructTag) {
	ok := d.decode(n, v, tags)
	d.values[v.Addr().Interface()] = value{key, n, !ok}
}

// decode reports whether n has a value for v; if not, that is an error of the document.
func (d *Document) decode(n *yaml.Node, v reflect.Value, tags reflect.StructTag) bool {
	var want string
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(n, v.Elem(), tags)
	case reflect.Struct:
		if n.Kind == yaml.MappingNode {
			d.fields(n, v)
			return true
		}
		want = "fields"
	case reflect.Slice:
		if n.Kind == yaml.SequenceNode {
			return d.list(n, v, tags)
		}
		want = "a list"
	case reflect.Map:
		if n.Kind == yaml.MappingNode {
			return d.entries(n, v, tags)
		}
		want = "fields"
	case reflect.Interface:
		x, ok := d.free(n)
		if ok {
			v.Set(reflect.ValueOf(&x).Elem())
		}
		return ok
	case reflect.Int:
		if value, err := strconv.Atoi(n.Value); err == nil && n.Tag == "!!int" {
			v.SetInt(int64(value))
			return true
		}
		d.At(d.pos(n), "this is %s where a whole number should be: write it in digits, without quotes", describe(n))
		return false
	case reflect.Bool:
		if n.Tag == "!!bool" && (n.Value == "true" || n.Value == "false") {
			v.SetBool(n.Value == "true")
			return true
		}
		d.At(d.pos(n), "this is %s where true or false should be: write one of them, without quotes", describe(n))
		return false
	default:
		if n.Kind == yaml.ScalarNode {
			return d.text(n, v, tags)
		}
		want = "text"
	}
	d.At(d.pos(n), "this is %s where %s should be%s", describe(n), want, hint(n, want))
	return false
}

// hint says how to write what should be there.
func hint(n *yaml.Node, want string) string {
	switch {
	case n.Tag == "!!null":
		return ": give it a value, or take it out"
	case want == "a list":
		return ": write each item on a line of its own, after a dash"
	case want == "fields":
		return ": write name: value, indented, on the lines below"
	}
	return ": write one value on this line"
}

// describe returns what a value is, for errors.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a group of fields"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!int" || n.Tag == "!!float":
		return "a number"
	case n.Tag == "!!bool":
		return "true or false"
	}
	return "text"
}

// text decodes a string.
func (d *Document) text(n *yaml.Node, v reflect.Value, tags reflect.StructTag) bool {
	enum := options(tags, "enum")
	switch {
	case !isText(n):
		how := hint(n, "text")
		if n.Tag != "!!null" {
			how = `: put it in quotes, "` + n.Value + `"`
		}
		d.At(d.pos(n), "this is %s where text should be%s", describe(n), how)
		return false
	case n.Value == "" && tags.Get("yamlfile") != "empty":
		d.At(d.pos(n), "this is empty: give it a value, or take it out")
		return false
	case len(enum) > 0 && !slices.Contains(enum, n.Value) && tags.Get("yamlfile") != "later":
		d.At(d.pos(n), "unknown value %q: %s", n.Value, Suggest(n.Value, enum))
		return false
	}
	v.SetString(n.Value)
	return true
}

// list decodes into a slice that never grows, so that the addresses of its elements stay.
func (d *Document) list(n *yaml.Node, v reflect.Value, tags reflect.StructTag) bool {
	if len(n.Content) == 0 && len(options(tags, "minItems")) > 0 {
		d.At(d.pos(n), "the list is empty: name at least one")
		return false
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		d.variable(nil, item, v.Index(i), tags)
	}
	return true
}

// entries decodes a map and remembers the position of each entry.
func (d *Document) entries(n *yaml.Node, v reflect.Value, tags reflect.StructTag) bool {
	of := v.Addr().Interface()
	v.Set(reflect.MakeMap(v.Type()))
	if len(n.Content) == 0 && len(options(tags, "minProperties")) > 0 {
		d.At(d.pos(n), "this has no entries: name at least one")
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		e := reflect.New(v.Type().Elem()).Elem()
		ok := d.decode(n.Content[i+1], e, `yamlfile:"empty"`)
		d.values[entry{of, k.Value}] = value{k, n.Content[i+1], !ok}
		if ok {
			v.SetMapIndex(reflect.ValueOf(k.Value), e)
		}
	}
	return true
}

// isText reports whether a scalar is a string; a time is text, too.
func isText(n *yaml.Node) bool { return n.Tag == "!!str" || n.Tag == "!!timestamp" }

// free decodes a value of any form.
func (d *Document) free(n *yaml.Node) (any, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		ok := d.entries(n, reflect.ValueOf(&m).Elem(), "")
		return m, ok
	case yaml.SequenceNode:
		l := []any{}
		ok := d.list(n, reflect.ValueOf(&l).Elem(), "")
		return l, ok
	}
	if isText(n) {
		return n.Value, true
	}
	var x any
	if err := n.Decode(&x); err != nil {
		d.At(d.pos(n), "this value cannot be read (%s): put it in quotes", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil, false
	}
	return x, true
}
