package yamlfile

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"
)

// AppendJSON appends a value as the JSON that kubectl makes of it; the value at without, which
// may be nil, becomes null.
func AppendJSON(b []byte, n, without *yaml.Node) []byte {
	switch {
	case n == without:
		return append(b, "null"...)
	case n.Kind == yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, Key(n.Content[i])), ':')
			b = AppendJSON(b, n.Content[i+1], without)
		}
		return append(b, '}')
	case n.Kind == yaml.SequenceNode:
		b = append(b, '[')
		for i, c := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, c, without)
		}
		return append(b, ']')
	}
	return appendScalar(b, n)
}

// Key returns the key of a mapping as kubectl writes it to JSON.
func Key(n *yaml.Node) string {
	j := appendScalar(nil, n)
	var s string
	if json.Unmarshal(j, &s) == nil {
		return s
	}
	return string(j)
}

// appendScalar reads text of YAML 1.2 that is a boolean in YAML 1.1 ("yes") as kubectl does, as a
// boolean.
func appendScalar(b []byte, n *yaml.Node) []byte {
	const other = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle |
		yaml.FoldedStyle | yaml.TaggedStyle
	plain := n.Style&other == 0
	switch {
	case n.Tag == "!!null":
		return append(b, "null"...)
	case n.Tag == "!!binary":
		var s string
		if err := n.Decode(&s); err == nil {
			return quote(b, s)
		}
	case plain && (n.Tag != "!!str" || slices.Contains(booleans, strings.ToLower(n.Value))):
		if j, err := kyaml.YAMLToJSON([]byte(n.Value)); err == nil && len(j) > 0 {
			return append(b, j...)
		}
	case n.Tag == "!!int" || n.Tag == "!!float" || n.Tag == "!!bool":
		var v any
		if err := n.Decode(&v); err == nil {
			if j, err := json.Marshal(v); err == nil {
				return append(b, j...)
			}
		}
	}
	return quote(b, n.Value)
}

// booleans are those of YAML 1.1 alone.
var booleans = []string{"y", "yes", "on", "n", "no", "off"}

func quote(b []byte, s string) []byte {
	j, _ := json.Marshal(s) // never fails for a string
	return append(b, j...)
}
