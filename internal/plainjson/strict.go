package plainjson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Check reports JSON that readers understand in more than one way, where it is decoded into v:
//
//   - a key that an object has twice: encoding/json takes the last, others the first;
//   - a key that differs from one of v's by case: encoding/json takes it, others do not;
//   - text that is not UTF-8, or half of a surrogate pair: encoding/json replaces it.
//
// RFC 8259 leaves all three to the reader (sections 4, 8.1 and 8.2). JSON that is not valid, and
// bytes behind it, are errors, too.
func Check(raw []byte, v any) error {
	if Marked(raw) {
		return errors.New("it begins with a byte order mark: save it as UTF-8 without one")
	}
	if !utf8.Valid(raw) {
		return errors.New("it is not UTF-8")
	}
	if at := loneSurrogate(raw); at >= 0 {
		return fmt.Errorf("half of a surrogate pair is at byte %d", at)
	}
	if isDeep(raw) {
		return fmt.Errorf("it nests more than %d levels deep", maxDepth)
	}
	if !json.Valid(raw) {
		return reason(raw)
	}
	return (&walk{raw: raw}).value(reflect.TypeOf(v))
}

// Marked reports whether text begins with a byte order mark of UTF-8, as editors on Windows write
// it. Readers need not pass over it (RFC 8259, section 8.1), and those of containers do not.
func Marked(text []byte) bool { return bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) }

// reason says why JSON is not valid.
func reason(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&json.RawMessage{}); err == nil && d.More() {
		return fmt.Errorf("more than one value is in it, from byte %d on", d.InputOffset())
	}
	return inWords(json.Unmarshal(raw, &json.RawMessage{}))
}

// inWords says what an error of encoding/json means, without Go's types.
func inWords(err error) error {
	syntax, kind, at := (*json.SyntaxError)(nil), (*json.UnmarshalTypeError)(nil), (*time.ParseError)(nil)
	switch {
	case errors.As(err, &syntax) && strings.HasPrefix(err.Error(), "unexpected end"):
		return fmt.Errorf("it ends in the middle, after %d bytes", syntax.Offset)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON, from byte %d on", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%s has a value of a wrong type, %s", cmp.Or(kind.Field, "it"), kind.Value)
	case errors.As(err, &at):
		return fmt.Errorf("%.100q is not a time of RFC 3339", at.Value)
	}
	return err
}

// Decode decodes untrusted JSON into v, if [Check] has no objection.
func Decode(raw []byte, v any) error {
	if err := Check(raw, v); err != nil {
		return err
	}
	return inWords(json.Unmarshal(raw, v))
}

// maxDepth is how deep JSON may nest. encoding/json goes as deep.
const maxDepth = 10_000

// isDeep reports whether JSON nests more than maxDepth levels deep.
func isDeep(raw []byte) bool {
	depth, quoted := 0, false
	for at := 0; at < len(raw); at++ {
		switch c := raw[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// shape is what encoding/json decodes an object or an array into.
type shape struct {
	fields  map[string]reflect.Type // of a struct, by key
	folded  map[string]string       // its keys, by what fold makes of them
	element reflect.Type            // of a map, a slice or an array; nil: any
}

// shapes are those of structs, by type. A document has thousands of objects of few types.
var shapes sync.Map

func shapeOf(t reflect.Type) shape {
	for t != nil && t.Kind() == reflect.Pointer && !decodesItself(t) {
		t = t.Elem()
	}
	switch {
	case t == nil || decodesItself(reflect.PointerTo(t)):
		return shape{}
	case t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return shape{element: t.Elem()}
	case t.Kind() != reflect.Struct:
		return shape{}
	}
	if s, ok := shapes.Load(t); ok {
		return s.(shape)
	}
	s := shape{fields: map[string]reflect.Type{}, folded: map[string]string{}}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s.fields[name], s.folded[fold(name)] = f.Type, name
	}
	shapes.Store(t, s)
	return s
}

// fold returns what encoding/json compares of keys.
func fold(key string) string { return strings.ToLower(strings.ToUpper(key)) }

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	texter      = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// decodesItself reports whether a type has its own decoder, whose keys are not known.
func decodesItself(t reflect.Type) bool { return t.Implements(unmarshaler) || t.Implements(texter) }

// loneSurrogate returns where an escape of half a surrogate pair begins, or -1.
func loneSurrogate(raw []byte) int {
	for at := 0; at < len(raw); at++ {
		next := bytes.IndexByte(raw[at:], '\\')
		if next < 0 {
			return -1
		}
		at += next
		high := isEscape(raw[at:], "89ab")
		switch {
		case high && isEscape(raw[min(at+6, len(raw)):], "cdef"):
			at += 11
		case high || isEscape(raw[at:], "cdef"):
			return at
		default:
			at++ // the escaped character
		}
	}
	return -1
}

// isEscape reports whether b begins with \uDXYZ, where X is one of third.
func isEscape(b []byte, third string) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && b[2]|0x20 == 'd' && strings.IndexByte(third, b[3]|0x20) >= 0
}
