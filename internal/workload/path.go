package workload

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// At returns where a field of the pod's spec stands, or where the nearest one around it does:
// At("containers", 0, "image"). Strings are keys, ints count from 0.
func (p *Pod) At(field ...any) Pos { return p.at(p.spec, field) }

// MetaAt is [Pod.At] for the pod's metadata.
func (p *Pod) MetaAt(field ...any) Pos { return p.at(p.meta, field) }

// Path returns the path of a field of the pod's spec within the document:
// spec.template.spec.containers[0].image.
func (p *Pod) Path(field ...any) string { return join(p.SpecPath, field...) }

// Node returns the value of a field of the pod's spec, or nil where the file has none.
func (p *Pod) Node(field ...any) *yaml.Node { return nodeAt(p.spec, field) }

// nodeAt returns the value at a path from n, or nil.
func nodeAt(n *yaml.Node, path []any) *yaml.Node {
	v, _, whole := find(n, path)
	if !whole {
		return nil
	}
	return v
}

func (p *Pod) at(n *yaml.Node, field []any) Pos {
	if n == nil {
		return pos(p.file, p.object)
	}
	_, place, _ := find(n, field)
	return pos(p.file, place)
}

// find follows a path from n. It returns the last value there is, where that stands (its key, if
// it has one), and whether this is the path's end.
func find(n *yaml.Node, path []any) (v, place *yaml.Node, whole bool) {
	v, place = n, n
	if n == nil {
		return nil, nil, false
	}
	for _, p := range path {
		var k, next *yaml.Node
		switch p := p.(type) {
		case string:
			k, next = field(v, p)
		case int:
			if v.Kind == yaml.SequenceNode && p >= 0 && p < len(v.Content) {
				next = v.Content[p]
				k = next
			}
		default:
			panic(fmt.Sprintf("a path of keys and indices has %T", p))
		}
		if next == nil {
			return v, place, false
		}
		v, place = next, k
	}
	return v, place, true
}

// field returns key and value of a mapping's field, or nil.
func field(n *yaml.Node, name string) (k, v *yaml.Node) {
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// value returns the value at a path of keys, or nil.
func value(n *yaml.Node, keys ...string) *yaml.Node {
	for _, k := range keys {
		_, n = field(n, k)
	}
	return n
}

// text returns the string at a path of keys, or "".
func text(n *yaml.Node, keys ...string) string {
	if v := value(n, keys...); v != nil && v.Kind == yaml.ScalarNode && v.Tag == "!!str" {
		return v.Value
	}
	return ""
}

// join writes a path. A key that has dots itself stands in quotes.
func join(base string, path ...any) string {
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

// split reads a path as Kubernetes' JSON decoder writes it.
func split(path string) []any {
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
