package yamlfile

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Find follows a path of keys (strings) and indices (ints that count from 0) from n, which may be
// nil. The results are the last value on the path that exists, the node whose position is
// reported for it (its key, if it has one), and whether this is the end of the path.
func Find(n *yaml.Node, path ...any) (value, place *yaml.Node, found bool) {
	value, place = n, n
	if n == nil {
		return nil, nil, false
	}
	for _, p := range path {
		var k, next *yaml.Node
		switch p := p.(type) {
		case string:
			k, next = Field(value, p)
		case int:
			if value.Kind == yaml.SequenceNode && p >= 0 && p < len(value.Content) {
				next = value.Content[p]
				k = next
			}
		default:
			panic(fmt.Sprintf("a path of keys and indices has %T", p))
		}
		if next == nil {
			return value, place, false
		}
		value, place = next, k
	}
	return value, place, true
}

// Value returns the value at a path from n, or nil.
func Value(n *yaml.Node, path ...any) *yaml.Node {
	if v, _, found := Find(n, path...); found {
		return v
	}
	return nil
}

// Text returns the string at a path from n, or "".
func Text(n *yaml.Node, path ...any) string {
	if v := Value(n, path...); v != nil && v.Kind == yaml.ScalarNode && v.Tag == "!!str" {
		return v.Value
	}
	return ""
}

// Field returns key and value of a field of a mapping; nil if n is nil, not a mapping, or lacks
// the field.
func Field(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// Path writes a path behind that of the value it starts from, which may be "":
// spec.containers[0].image. A key that is empty or has one of ". [ ] /" is quoted.
func Path(base string, path ...any) string {
	var b strings.Builder
	b.WriteString(base)
	for _, p := range path {
		switch p := p.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", p)
		case string:
			if strings.ContainsAny(p, ".[]/") || p == "" {
				fmt.Fprintf(&b, "[%q]", p)
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p)
		default:
			panic(fmt.Sprintf("a path of keys and indices has %T", p))
		}
	}
	return b.String()
}
