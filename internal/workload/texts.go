package workload

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text is a string in an object.
type Text struct {
	Value string
	// Name is what the string is called: the variable in an env list, the flag before it in a
	// list of arguments, or else the key of the field, which in a ConfigMap is the name of a
	// file.
	Name string
	Pos  Pos

	base string
	path []any
}

// Path returns the path of the string within the document.
func (t Text) Path() string { return join(t.base, t.path...) }

// lastApplied holds the object a second time, as kubectl applied it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Texts calls visit for every string of the object, in the order of the manifest. A text is valid
// until visit returns.
func (o Object) Texts(visit func(Text)) {
	w := textWalk{object: o, visit: visit}
	w.node(o.Node, "")
}

type textWalk struct {
	object Object
	path   []any
	visit  func(Text)
}

func (w *textWalk) node(n *yaml.Node, name string) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!str" {
			w.visit(Text{n.Value, name, pos(w.object.File, n), w.object.Path, w.path})
		}
	case yaml.MappingNode:
		variable := text(n, "name")
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if key == lastApplied || key == "managedFields" && slices.Equal(w.path, []any{"metadata"}) {
				continue
			}
			called := key
			if key == "value" && variable != "" {
				called = variable
			}
			w.below(key, n.Content[i+1], called)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			called := name
			if i > 0 && flag(n.Content[i-1]) {
				called = n.Content[i-1].Value
			}
			w.below(i, item, called)
		}
	}
}

func (w *textWalk) below(key any, n *yaml.Node, name string) {
	w.path = append(w.path, key)
	w.node(n, name)
	w.path = w.path[:len(w.path)-1]
}

// flag reports whether an argument is a flag whose value is the next argument.
func flag(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && strings.HasPrefix(n.Value, "-") && !strings.ContainsAny(n.Value, "= \n")
}
