// Package plainjson encodes JSON for files and for people: without escaping for HTML, which only
// a browser needs and which is hard to read, and with a final newline. Equal values have equal
// bytes.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Line returns a value on one line.
func Line(v any) ([]byte, error) { return encode(v, "") }

// Indent returns a value on many lines, indented by two spaces.
func Indent(v any) ([]byte, error) { return encode(v, "  ") }

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}
