package yamlfile

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a Go value that was decoded from a file of one document. Its methods name a value
// by the address of the Go variable that it was decoded into, so that the compiler checks the
// names; for an entry of a map, which has no address, that is [Entry].
type Document struct {
	Errors

	Name string // of the file

	values map[any]value
}

// String is a string within a value.
type String struct {
	Path  string // from the value: containers[0].image
	Pos   Pos
	Value string
}

// Entry returns the name of a map's entry. The map is given by its address.
func Entry(of any, key string) any { return entry{of, key} }

type entry struct {
	of  any
	key string
}

// value is where a variable was decoded from.
type value struct {
	key, node *yaml.Node
	bad       bool // the value could not be decoded, which has been reported
}

// Decode reads a file of one document into v, a pointer to a struct. All errors are in the
// returned document.
//
// v is made of structs, slices, maps with string keys, pointers, strings and any. The tag yaml
// has the name of a field. A file must not have other fields, must have text where v has a string
// (numbers and booleans in quotes: 1.10 is 1.1 to other readers), and must follow these keywords
// of the tag jsonschema: required, enum, minItems, minProperties, and oneof_required, where a
// field names the group of fields that it belongs to, of which the file has exactly one. The tag
// yamlfile makes exceptions:
//
//   - empty: the text may be empty;
//   - later: the caller checks the enum;
//   - asked: the field may be missing although its group is there.
func Decode(name string, text []byte, o Options, v any) *Document {
	f := Read(name, text, o)
	d := &Document{Errors: f.Errors, Name: name, values: map[any]value{}}
	if len(f.Documents) > 0 {
		d.variable(nil, f.Documents[0], reflect.ValueOf(v).Elem(), "")
	}
	return d
}

func (d *Document) pos(n *yaml.Node) Pos { return Pos{d.Name, n.Line, n.Column} }

// Errorf reports an error in the value at an address.
func (d *Document) Errorf(address any, format string, args ...any) {
	d.At(d.Pos(address), format, args...)
}

// KeyErrorf reports an error in a key of the map at an address.
func (d *Document) KeyErrorf(of any, key, format string, args ...any) {
	d.At(d.pos(d.values[entry{of, key}].key), format, args...)
}

// Pos returns the position of the value at an address; the start of the file if no value is
// there.
func (d *Document) Pos(address any) Pos {
	if v, ok := d.values[address]; ok {
		return d.pos(v.node)
	}
	return Pos{d.Name, 1, 1}
}

// Strings returns the strings within the value at an address, in the order of the file. Those of
// a value of type any have no address that a caller knows.
func (d *Document) Strings(address any) []String {
	v, ok := d.values[address]
	if !ok {
		return nil
	}
	return d.strings(nil, v.node, "")
}

func (d *Document) strings(list []String, n *yaml.Node, path string) []String {
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			list = d.strings(list, n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."))
		}
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			list = d.strings(list, item, fmt.Sprintf("%s[%d]", path, i))
		}
	case isText(n):
		list = append(list, String{path, d.pos(n), n.Value})
	}
	return list
}

// Given reports whether the file has the value at an address.
func (d *Document) Given(address any) bool {
	_, ok := d.values[address]
	return ok
}

// Bad reports whether the value at an address is in the file but could not be decoded.
func (d *Document) Bad(address any) bool { return d.values[address].bad }
