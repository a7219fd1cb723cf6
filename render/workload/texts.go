package workload

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Text is a string in an object.
type Text struct {
	Value string
	// Name is what the string is called: the variable in an env list, the flag before it in a
	// list of arguments, or else the key of the field, which in a ConfigMap is a file name.
	Name string
	Pos  yamlfile.Pos
	// Keys are the keys on the path of the string, with the names of list items in brackets.
	Keys []string

	base string
	path []any
}

// Path returns the path of the string within the document.
func (t Text) Path() string { return yamlfile.Path(t.base, t.path...) }

// lastApplied is an annotation with the object as kubectl applied it, a second copy.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Texts calls visit for every string of the object, in the order of the manifest. Values in the
// data of a Secret are decoded; those that are not text are skipped, as are the descriptions in a
// CustomResourceDefinition, and the tags and digests of images that other fields of a custom
// resource name. A Text is valid until visit returns.
func (o Object) Texts(visit func(Text)) {
	w := textWalk{object: o, visit: visit, parts: o.compose(func(Composed) {}).nodes}
	w.node(o.Node, "")
}

type textWalk struct {
	object Object
	path   []any
	keys   []string
	visit  func(Text)
	parts  map[*yaml.Node]bool // of images, which are not texts
}

func (w *textWalk) node(n *yaml.Node, name string) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!str" || w.parts[n] {
			return
		}
		value := n.Value
		if w.inSecret() {
			b, err := base64.StdEncoding.DecodeString(value)
			if err != nil || !utf8.Valid(b) {
				return
			}
			value = string(b)
		}
		w.visit(Text{value, name, w.object.pos(n), w.keys, w.object.Path, w.path})
	case yaml.MappingNode:
		variable := yamlfile.Text(n, "name")
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if key == lastApplied || key == "managedFields" && slices.Equal(w.path, []any{"metadata"}) {
				continue
			}
			if key == "description" && w.object.Kind == "CustomResourceDefinition" &&
				n.Content[i+1].Kind == yaml.ScalarNode {
				continue // examples for readers of the API
			}
			called := key
			if key == "value" && variable != "" {
				called = variable
			}
			w.below(key, key, n.Content[i+1], called)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			called := name
			if i > 0 && isFlag(n.Content[i-1]) {
				called = n.Content[i-1].Value
			}
			w.below(i, "["+yamlfile.Text(item, "name")+"]", item, called)
		}
	}
}

// inSecret reports whether the walk is at a value in the data of a Secret.
func (w *textWalk) inSecret() bool {
	return w.object.Kind == "Secret" && w.object.APIVersion == "v1" && len(w.path) == 2 && w.path[0] == "data"
}

func (w *textWalk) below(step any, key string, n *yaml.Node, name string) {
	w.path, w.keys = append(w.path, step), append(w.keys, key)
	w.node(n, name)
	w.path, w.keys = w.path[:len(w.path)-1], w.keys[:len(w.keys)-1]
}

// isFlag reports whether an argument is a flag whose value is the next argument.
func isFlag(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && strings.HasPrefix(n.Value, "-") && !strings.ContainsAny(n.Value, "= \n")
}
