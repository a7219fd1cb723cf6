package workload

import (
	"errors"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
)

// decode reads an object into v as strictly as an apiserver with field validation does. The
// errors name the fields.
func decode(o Object, v any) []error {
	return decodeAt(o, o.Node, nil, v)
}

// decodeCarried reads the fields that kpack hands on. Their values are read strictly; fields
// beside them are another reader's.
func decodeCarried(o Object, path []any, n *yaml.Node) (*carried, []error) {
	c := &carried{}
	if n.Kind != yaml.MappingNode {
		if n.Tag == "!!null" {
			return c, nil
		}
		return nil, []error{errorAt(pos(o.File, n), "%s: %s: this is no group of fields", o, join(o.Path, path...))}
	}
	own := *n
	own.Content = nil
	t := reflect.TypeFor[carried]()
	for i := range t.NumField() {
		if k, v := field(n, t.Field(i).Tag.Get("json")); k != nil {
			own.Content = append(own.Content, k, v)
		}
	}
	return c, decodeAt(o, &own, path, c)
}

// decodeAt reads the value at n, which stands at a path of the object, into v.
func decodeAt(o Object, n *yaml.Node, path []any, v any) []error {
	strict, err := kjson.UnmarshalStrict(toJSON(nil, n, nil), v)
	if err != nil {
		place, field := locate(n, err.Error(), v)
		return []error{errorAt(pos(o.File, place), "%s: %s: %s", o, join(o.Path, append(append([]any{}, path...), field...)...), plain(err))}
	}
	var errs []error
	for _, e := range strict {
		var f kjson.FieldError
		if !errors.As(e, &f) {
			errs = append(errs, errorAt(o.Pos(), "%s: %s", o, e))
			continue
		}
		field := split(f.FieldPath())
		_, place, _ := find(n, field)
		errs = append(errs, errorAt(pos(o.File, place), "%s: %s: unknown field: correct its name, or take it out", o, join(o.Path, append(append([]any{}, path...), field...)...)))
	}
	return errs
}

// maxSearch bounds, in bytes read, the search for the value that an error is about. In a larger
// object the place is less exact.
const maxSearch = 32 << 20

// locate returns the value that a decoder's error is about, which does not say so: the innermost
// one without which the error is another or none.
func locate(n *yaml.Node, text string, like any) (place *yaml.Node, path []any) {
	budget := maxSearch
	differs := func(without *yaml.Node) bool {
		if budget <= 0 {
			return false
		}
		j := toJSON(nil, n, without)
		budget -= len(j)
		_, err := kjson.UnmarshalStrict(j, reflect.New(reflect.TypeOf(like).Elem()).Interface())
		return err == nil || err.Error() != text
	}
	at := n
	place = n
descend:
	for {
		switch at.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(at.Content); i += 2 {
				if c := at.Content[i+1]; differs(c) {
					path = append(path, at.Content[i].Value)
					at, place = c, c
					continue descend
				}
			}
		case yaml.SequenceNode:
			for i, c := range at.Content {
				if differs(c) {
					path = append(path, i)
					at, place = c, c
					continue descend
				}
			}
		}
		return place, path
	}
}

// typeError is what the decoder says of a value of the wrong kind.
var typeError = regexp.MustCompile(`^json: cannot unmarshal (\S+).* into Go (?:struct field|value).* of type (\S+)$`)

// plain says what the decoder says, in the words of YAML.
func plain(err error) string {
	m := typeError.FindStringSubmatch(err.Error())
	if m == nil {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	have := map[string]string{"string": "text", "number": "a number", "bool": "true or false", "object": "a group of fields", "array": "a list"}[m[1]]
	want := ""
	switch t := m[2]; {
	case strings.HasPrefix(t, "[]"):
		want = "a list"
	case strings.HasPrefix(t, "map["):
		want = "a group of fields"
	case t == "string":
		want = "text"
	case strings.HasPrefix(t, "int") || strings.HasPrefix(t, "uint"):
		want = "a whole number"
	case t == "bool":
		want = "true or false"
	}
	switch {
	case want == "" && have != "":
		return "this is " + have + ", which the field does not take"
	case have == "" || have == want:
		return "this value is not one that the field takes"
	case want == "text":
		return "this is " + have + " where text should be: put it in quotes"
	}
	return "this is " + have + " where " + want + " should be"
}

// Decode reads the object into v, a pointer to its type, as strictly as an apiserver with field
// validation does. Of all that is wrong the error has an [Error] each, joined.
func (o Object) Decode(v any) error { return errors.Join(decode(o, v)...) }
