package scaffold

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// parameter matches a parameter of a Tekton pipeline.
var parameter = lazyregexp.New(`\$\(params\.([A-Za-z0-9_.-]+)\)`)

// withParameters is the text of a file with the defaults of its parameters in place, as Tekton has
// them.
func (d *Draft) withParameters(f string) string {
	text := string(d.tree.text(f))
	if !strings.Contains(text, "$(params.") {
		return text
	}
	known := map[string]string{}
	var find func(n *yaml.Node)
	find = func(n *yaml.Node) {
		for _, p := range items(n, "params") {
			if def := word(p, "default"); def != "" {
				known[word(p, "name")] = def
			}
		}
		for _, c := range n.Content {
			find(c)
		}
	}
	for _, doc := range d.yaml(f) {
		find(doc)
	}
	return parameter.ReplaceAllStringFunc(text, func(p string) string {
		return cmp.Or(known[parameter.FindStringSubmatch(p)[1]], p)
	})
}
