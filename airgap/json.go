package airgap

import (
	"encoding/json"
	"fmt"
)

// decode reads JSON that somebody else may have written. Nesting is looked at first: encoding/json goes 10,000 levels deep.
func decode(what string, b []byte, v any) error {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("reading %s: its JSON nests more than %d levels deep", what, maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", what, err)
	}
	return nil
}
