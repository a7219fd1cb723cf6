package workload

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// dotted joins fields whose keys are paths, such as image.repository and image.tag: those of set in
// a HelmChart of k3s.
func (w *composedWalk) dotted(n *yaml.Node, path []any) {
	var order []string
	groups := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := strings.LastIndexByte(n.Content[i].Value, '.')
		if at <= 0 || n.Content[i+1].Kind != yaml.ScalarNode {
			continue
		}
		group := n.Content[i].Value[:at]
		if groups[group] == nil {
			order, groups[group] = append(order, group), &yaml.Node{Kind: yaml.MappingNode}
		}
		key := *n.Content[i]
		key.Value = key.Value[at+1:]
		groups[group].Content = append(groups[group].Content, &key, n.Content[i+1])
	}
	for _, group := range order {
		below := slices.Clone(path)
		for part := range strings.SplitSeq(group, ".") {
			below = append(below, part)
		}
		w.fields(groups[group], below)
	}
}

// parameters returns a list of fields name and value, such as the parameters of Helm in an
// Application of Argo CD, as a mapping; an empty one for another list.
func parameters(n *yaml.Node) *yaml.Node {
	all := &yaml.Node{Kind: yaml.MappingNode}
	for _, item := range n.Content {
		name, value := yamlfile.Value(item, "name"), yamlfile.Value(item, "value")
		if name != nil && value != nil && name.Kind == yaml.ScalarNode {
			all.Content = append(all.Content, name, value)
		}
	}
	return all
}
