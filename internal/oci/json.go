package oci

import (
	"fmt"

	"github.com/slipway-dev/slipway/internal/plainjson"
)

// Decode decodes untrusted JSON into v. JSON that nests deeper than [MaxNesting] or has more than
// values values is an error, before it takes memory, and so is JSON that other readers understand
// in another way ([plainjson.Check]). The name is what messages call it.
func Decode(name string, raw []byte, v any, values int) error {
	if err := CheckJSON(name, raw, values); err != nil {
		return err
	}
	if err := plainjson.Decode(raw, v); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// CheckJSON checks the bounds of [Decode] without decoding.
func CheckJSON(name string, raw []byte, values int) error {
	depth, count, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			count++
		case c == '{' || c == '[':
			count++
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > MaxNesting {
			return fmt.Errorf("reading %s: its JSON nests more than %d levels deep", name, MaxNesting)
		}
		if count > values {
			return fmt.Errorf("reading %s: its JSON has more than %d values", name, values)
		}
	}
	return nil
}
