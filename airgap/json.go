package airgap

import (
	"encoding/json"
	"fmt"
)

// decode reads JSON that somebody else may have written. Nesting and the number of values are
// looked at first: encoding/json goes 10,000 levels deep, and of two bytes it makes a descriptor.
func decode(what string, b []byte, v any) error { return decodeUpTo(maxValues, what, b, v) }

// decodeUpTo does so with another bound of the number of values.
func decodeUpTo(limit int, what string, b []byte, v any) error {
	if err := bounded(limit, what, b); err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", what, err)
	}
	return nil
}

// bounded checks that reading JSON takes no more memory than a reader has for it.
func bounded(limit int, what string, b []byte) error {
	depth, values, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			values++
		case c == '{' || c == '[':
			values++
			if depth++; depth > maxDepth {
				return fmt.Errorf("reading %s: its JSON nests more than %d levels deep", what, maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
		if values > limit {
			return fmt.Errorf("reading %s: its JSON has more than %d values", what, limit)
		}
	}
	return nil
}
