package render

import (
	"strings"

	"carvel.dev/ytt/pkg/yamlmeta"
	"go.yaml.in/yaml/v3"
)

// origins maps lines of a written document to the places that they were rendered from.
type origins struct {
	document document
	lines    map[int]string
	before   int // lines before the document
}

// add records the origin of every line on which a value below n begins. n was read from the text
// that v was written to, so both trees have the same form.
func (o origins) add(n *yaml.Node, v any) {
	switch v := v.(type) {
	case *yamlmeta.Map:
		for i, item := range v.Items {
			if 2*i+1 >= len(n.Content) {
				return
			}
			at := o.document.position(item.Position)
			o.lines[o.before+n.Content[2*i].Line] = at
			o.block(n.Content[2*i+1], at)
			o.add(n.Content[2*i+1], item.Value)
		}
	case *yamlmeta.Array:
		for i, item := range v.Items {
			if i >= len(n.Content) {
				return
			}
			at := o.document.position(item.Position)
			o.lines[o.before+n.Content[i].Line] = at
			o.block(n.Content[i], at)
			o.add(n.Content[i], item.Value)
		}
	}
}

// block records the origin of the lines of a text, which may have YAML of its own: the key that has
// it.
func (o origins) block(n *yaml.Node, at string) {
	if n.Kind != yaml.ScalarNode || n.Style&yaml.LiteralStyle == 0 {
		return
	}
	for line := range strings.Count(strings.TrimSuffix(n.Value, "\n"), "\n") + 1 {
		o.lines[o.before+n.Line+1+line] = at
	}
}
