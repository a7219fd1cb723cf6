package product

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds on a file, far beyond real ones: aliases can make a small file a large one, or an
// endless one.
const (
	maxNodes = 20_000
	maxDepth = 32
)

// decode reads n into the variable at the address v, whose type is made of structs, slices, maps,
// pointers, strings and any.
func (d *document) decode(n *yaml.Node, v any) {
	d.value(nil, n, reflect.ValueOf(v).Elem(), 0, "")
}

// value reads n into v and notes where it stands. Tags are those of the struct field.
func (d *document) value(key, n *yaml.Node, v reflect.Value, depth int, tags reflect.StructTag) {
	ptr := v.Addr().Interface()
	p := place{key: key, value: n}
	n = d.resolve(n, depth)
	p.bad = n == nil || !d.into(n, v, depth, tags)
	d.places[ptr] = p
}

// resolve follows an alias, and says nil where the file has grown beyond its bounds.
func (d *document) resolve(n *yaml.Node, depth int) *yaml.Node {
	d.nodes++
	switch {
	case depth > maxDepth:
		d.at(d.pos(n), "values nest more than %d deep: take levels out, and aliases that contain themselves", maxDepth)
		return nil
	case d.nodes == maxNodes:
		d.at(d.pos(n), "the file has more than %d values, those that aliases repeat included: take aliases out", maxNodes)
		return nil
	case d.nodes > maxNodes:
		return nil
	case n.Kind == yaml.AliasNode:
		return n.Alias
	}
	return n
}

func (d *document) into(n *yaml.Node, v reflect.Value, depth int, tags reflect.StructTag) bool {
	var want string
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.into(n, v.Elem(), depth, tags)
	case reflect.Struct:
		if n.Kind == yaml.MappingNode {
			d.fields(n, v, depth)
			return true
		}
		want = "fields"
	case reflect.Slice:
		if n.Kind == yaml.SequenceNode {
			return d.list(n, v, depth, tags)
		}
		want = "a list"
	case reflect.Map:
		if n.Kind == yaml.MappingNode {
			return d.entries(n, v, depth, tags)
		}
		want = "fields"
	case reflect.Interface:
		x, ok := d.free(n, depth)
		if ok {
			v.Set(reflect.ValueOf(&x).Elem())
		}
		return ok
	default:
		if n.Kind == yaml.ScalarNode {
			return d.text(n, v, tags)
		}
		want = "text"
	}
	d.at(d.pos(n), "this is %s where %s should be%s", kind(n), want, hint(n, want))
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

func kind(n *yaml.Node) string {
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

// text reads a string. A time is text, too; numbers and booleans must be quoted, since 1.10
// without quotes is 1.1 to other readers.
func (d *document) text(n *yaml.Node, v reflect.Value, tags reflect.StructTag) bool {
	enum := options(tags, "enum")
	switch {
	case n.Tag != "!!str" && n.Tag != "!!timestamp":
		how := hint(n, "text")
		if n.Tag != "!!null" {
			how = `: put it in quotes, "` + n.Value + `"`
		}
		d.at(d.pos(n), "this is %s where text should be%s", kind(n), how)
		return false
	case n.Value == "" && tags.Get("slipway") != "empty":
		d.at(d.pos(n), "this is empty: give it a value, or take it out")
		return false
	case len(enum) > 0 && !slices.Contains(enum, n.Value) && tags.Get("yaml") != "apiVersion":
		d.at(d.pos(n), "unknown value %q: %s", n.Value, choose(n.Value, enum))
		return false
	}
	v.SetString(n.Value)
	return true
}

// list reads a slice of exactly as many elements as there are, so that their addresses stay.
func (d *document) list(n *yaml.Node, v reflect.Value, depth int, tags reflect.StructTag) bool {
	if len(n.Content) == 0 && len(options(tags, "minItems")) > 0 {
		d.at(d.pos(n), "the list is empty: name one at least")
		return false
	}
	if len(n.Content) > maxNodes {
		d.nodes = maxNodes - 1
		d.resolve(n, 0)
		return false
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		d.value(nil, item, v.Index(i), depth+1, tags)
	}
	return true
}

// entries reads a map and notes where each entry stands.
func (d *document) entries(n *yaml.Node, v reflect.Value, depth int, tags reflect.StructTag) bool {
	of := v.Addr().Interface()
	v.Set(reflect.MakeMap(v.Type()))
	pairs := d.pairs(n)
	if len(pairs) == 0 && len(options(tags, "minProperties")) > 0 {
		d.at(d.pos(n), "nothing stands here: name one at least")
		return false
	}
	for _, p := range pairs {
		value := d.resolve(p.value, depth+1)
		if value == nil {
			return false
		}
		e := reflect.New(v.Type().Elem()).Elem()
		ok := d.into(value, e, depth+1, `slipway:"empty"`)
		d.places[entry{of, p.key.Value}] = place{p.key, p.value, !ok}
		if ok {
			v.SetMapIndex(reflect.ValueOf(p.key.Value), e)
		}
	}
	return true
}

// free reads a value of any form, whose strings are kept for later.
func (d *document) free(n *yaml.Node, depth int) (any, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		ok := d.entries(n, reflect.ValueOf(&m).Elem(), depth, "")
		return m, ok
	case yaml.SequenceNode:
		l := []any{}
		ok := d.list(n, reflect.ValueOf(&l).Elem(), depth, "")
		return l, ok
	}
	if n.Tag == "!!str" || n.Tag == "!!timestamp" {
		d.texts = append(d.texts, text{d.pos(n), n.Value})
		return n.Value, true
	}
	var x any
	if err := n.Decode(&x); err != nil {
		d.at(d.pos(n), "this value cannot be read (%s): put it in quotes", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil, false
	}
	return x, true
}
