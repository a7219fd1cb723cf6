package scaffold

import (
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// limits bound untrusted YAML.
var limits = yamlfile.Options{
	MaxBytes: maxText, MaxValues: 100_000, MaxText: 8 << 20, MaxDepth: 100,
	MergeKeys: true, Stream: true,
}

// yaml returns the documents of a file that can be read, the same each time.
func (d *Draft) yaml(name string) []*yaml.Node {
	if docs, ok := d.docs[name]; ok {
		return docs
	}
	var docs []*yaml.Node
	if text := d.tree.text(name); text != nil {
		f := yamlfile.Read(name, text, limits)
		if d.broken[name] = f.Err(); f.Err() == nil {
			docs = f.Documents
		}
	}
	d.docs[name] = docs
	return docs
}

// needed returns the documents of a file that a release may depend on, and says one that cannot be
// read.
func (d *Draft) needed(name string) []*yaml.Node {
	docs := d.yaml(name)
	if err := d.broken[name]; err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		d.leave("YAML that cannot be read", "%s", why)
	}
	return docs
}

// first returns the first document of the first of these files that is there.
func (d *Draft) first(names ...string) (string, *yaml.Node) {
	for _, name := range names {
		if !d.tree.has(name) {
			continue
		}
		if docs := d.needed(name); len(docs) > 0 {
			return name, docs[0]
		}
	}
	return "", nil
}

// items returns the items of a list.
func items(n *yaml.Node, path ...any) []*yaml.Node {
	if v := yamlfile.Value(n, path...); v != nil && v.Kind == yaml.SequenceNode {
		return v.Content
	}
	return nil
}

// pairs yields the keys and the values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for pair := range slices.Chunk(n.Content, 2) {
			if !yield(pair[0].Value, pair[1]) {
				return
			}
		}
	}
}

// scalars adds the scalars of a mapping under their names, of inner ones with a dot.
func scalars(n *yaml.Node, prefix string, to map[string]string) {
	for key, v := range pairs(n) {
		if v.Kind == yaml.ScalarNode {
			to[prefix+key] = v.Value
		} else {
			scalars(v, prefix+key+".", to)
		}
	}
}

// texts returns a string, or the strings of a list.
func texts(n *yaml.Node, path ...any) []string {
	v := yamlfile.Value(n, path...)
	if v == nil {
		return nil
	}
	if v.Kind == yaml.ScalarNode {
		return []string{v.Value}
	}
	var list []string
	for _, i := range items(v) {
		if i.Kind == yaml.ScalarNode {
			list = append(list, i.Value)
		}
	}
	return list
}

// word is a scalar, whatever its type; "" for none.
func word(n *yaml.Node, path ...any) string {
	if v := yamlfile.Value(n, path...); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// placeOf returns where a value of a file stands.
func placeOf(name string, n *yaml.Node) place {
	if n == nil {
		return place{name, 0}
	}
	return place{name, n.Line}
}
