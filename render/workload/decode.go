package workload

import (
	"encoding/base64"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Fault is a field or value that an API server with field validation refuses.
type Fault struct {
	Pos  yamlfile.Pos
	Path string // of the field within the document; "" for the object
	Text string // the problem and the remedy
	// Unserved reports whether the apiVersion or kind is wrong, not a field.
	Unserved bool
}

// String returns path and text.
func (f Fault) String() string {
	if f.Path == "" {
		return f.Text
	}
	return f.Path + ": " + f.Text
}

// maxFaults bounds the faults of an object; more are not read.
const maxFaults = 200

// decode reads the object as its type if the kind is known. Unknown fields leave the rest usable.
func (o *Object) decode() {
	k, makesPods := podKinds[gvk{o.APIVersion, o.Kind}]
	id := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
	switch {
	case makesPods && k.template == nil:
		o.decodeBuild(k)
	case builtin().Recognizes(id):
		object, err := builtin().New(id)
		if err != nil || !o.decodeAt(o.Node, nil, object) {
			return
		}
		o.Typed = object
		if !makesPods {
			return
		}
		if t := k.template(object); t != nil { // a ReplicationController may lack it
			o.Pod = newPod(*o, k, append(slices.Clone(k.path), "spec"))
			o.Pod.Meta, o.Pod.Spec = t.ObjectMeta, t.Spec
			meta := append(slices.Clone(k.path), "metadata")
			o.Pod.MetaPath, o.Pod.meta = yamlfile.Path(o.Path, meta...), yamlfile.Value(o.Node, meta...)
		}
	default:
		if what := unserved(o.APIVersion, o.Kind); what != "" {
			o.Faults = append(o.Faults, Fault{o.At("apiVersion"), yamlfile.Path(o.Path, "apiVersion"), what, true})
		}
	}
}

func (o *Object) fault(at *yaml.Node, path []any, text string) {
	if len(o.Faults) < maxFaults {
		const most = 2000 // bytes; more are not read
		o.Faults = append(o.Faults,
			Fault{Pos: o.pos(at), Path: yamlfile.Path(o.Path, path...), Text: output.Excerpt(text, most)})
	}
}

// decodeAt decodes the value n at a path of the object into v, as strictly as an API server with
// field validation. Its result reports whether v is usable: unknown fields are skipped.
func (o *Object) decodeAt(n *yaml.Node, path []any, v any) bool {
	strict, err := kjson.UnmarshalStrict(yamlfile.AppendJSON(nil, n, nil), v)
	if err != nil {
		at, field := errorNode(n, err.Error(), v)
		if notBase64(err) {
			at, field = undecoded(at, field)
		}
		o.fault(at, slices.Concat(path, field), inYAML(err))
		return false
	}
	for _, e := range strict {
		var f kjson.FieldError
		if !errors.As(e, &f) {
			o.fault(o.Node, nil, e.Error())
			continue
		}
		field := splitPath(f.FieldPath())
		_, at, _ := yamlfile.Find(n, field...)
		o.fault(at, slices.Concat(path, field), "unknown field: correct its name, or take it out")
	}
	return true
}

// maxSearch bounds, in bytes read, the search for the value that an error is about. In a larger
// object the place is less exact.
const maxSearch = 32 << 20

// errorNode returns the value that a decoder's error is about, which the error does not name: the
// innermost one without which the error changes or disappears.
func errorNode(n *yaml.Node, text string, like any) (at *yaml.Node, path []any) {
	budget := maxSearch
	differs := func(without *yaml.Node) bool {
		if budget <= 0 {
			return false
		}
		j := yamlfile.AppendJSON(nil, n, without)
		budget -= len(j)
		_, err := kjson.UnmarshalStrict(j, reflect.New(reflect.TypeOf(like).Elem()).Interface())
		return err == nil || err.Error() != text
	}
	at = n
descend:
	for {
		switch at.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(at.Content); i += 2 {
				if c := at.Content[i+1]; differs(c) {
					path = append(path, at.Content[i].Value)
					at = c
					continue descend
				}
			}
		case yaml.SequenceNode:
			for i, c := range at.Content {
				if differs(c) {
					path = append(path, i)
					at = c
					continue descend
				}
			}
		}
		return at, path
	}
}

// notBase64 reports whether a decoder's error is about text that must be base64.
func notBase64(err error) bool { return strings.HasPrefix(err.Error(), "illegal base64 data") }

// undecoded returns the first text in a group of fields that is not base64. If there are several,
// the error does not change without one of them.
func undecoded(at *yaml.Node, path []any) (*yaml.Node, []any) {
	if at.Kind != yaml.MappingNode {
		return at, path
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		c := at.Content[i+1]
		if _, err := base64.StdEncoding.DecodeString(c.Value); err != nil && c.Kind == yaml.ScalarNode {
			return c, append(path, at.Content[i].Value)
		}
	}
	return at, path
}

// typeError matches the decoder's message for a value of the wrong type.
var typeError = lazyregexp.New(`^json: cannot unmarshal (\S+).* into Go (?:struct field|value).* of type (\S+)$`)

// inYAML rewrites an error of the JSON decoder for a reader of YAML.
func inYAML(err error) string {
	m := typeError.FindStringSubmatch(err.Error())
	if notBase64(err) {
		return "this is not base64: encode it, or write it under stringData if this is a Secret"
	}
	if m == nil {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	have := map[string]string{
		"string": "text", "number": "a number", "bool": "true or false",
		"object": "a group of fields", "array": "a list",
	}[m[1]]
	want := ""
	switch t := m[2]; {
	case strings.HasPrefix(t, "[]"):
		want = "a list"
	case strings.HasPrefix(t, "map["):
		want = "a group of fields"
	case t == "string":
		want = "text"
	case strings.HasPrefix(t, "int") || strings.HasPrefix(t, "uint"):
		want = "an integer"
	case t == "bool":
		want = "true or false"
	}
	switch {
	case want == "" && have != "":
		return "this is " + have + ", which the field does not take"
	case have == "" || have == want:
		return "the field does not take this value"
	case want == "text":
		return "this is " + have + " where text should be: put it in quotes"
	}
	return "this is " + have + " where " + want + " should be"
}

// splitPath reads a path as Kubernetes' JSON decoder writes it.
func splitPath(path string) []any {
	var out []any
	for _, part := range strings.Split(path, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if name != "" {
			out = append(out, name)
		}
		for rest != "" {
			var index string
			index, rest, _ = strings.Cut(rest, "]")
			n, err := strconv.Atoi(index)
			if err != nil {
				return out
			}
			out = append(out, n)
			rest = strings.TrimPrefix(rest, "[")
		}
	}
	return out
}
