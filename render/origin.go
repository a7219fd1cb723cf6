package render

import (
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
			o.lines[o.before+n.Content[2*i].Line] = o.document.position(item.Position)
			o.add(n.Content[2*i+1], item.Value)
		}
	case *yamlmeta.Array:
		for i, item := range v.Items {
			if i >= len(n.Content) {
				return
			}
			o.lines[o.before+n.Content[i].Line] = o.document.position(item.Position)
			o.add(n.Content[i], item.Value)
		}
	}
}
