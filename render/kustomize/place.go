package kustomize

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// places returns where the lines of an object are from: the file that has it as a resource, or
// the kustomization whose generator has made it.
func (c *collector) places(text []byte, file, configured string) map[int]yamlfile.Pos {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil
	}
	made := doc.Content[0]
	p := placer{lines: map[int]yamlfile.Pos{}}
	switch _, isFile := c.files[file]; {
	case isFile:
		f := c.parse(file)
		p.name = f.Name
		p.follow(made, resourceOf(made, f.Documents), 1)
	case c.files[configured] != nil:
		f := c.parse(configured)
		p.name = f.Name
		p.follow(made, nil, generatorLine(made, f.Documents))
	}
	return p.lines
}

// resourceOf returns the object of a file that kustomize has made another one of, which may have a
// prefix or suffix in its name: the one of that kind with the longest name in it.
func resourceOf(made *yaml.Node, docs []*yaml.Node) *yaml.Node {
	var best *yaml.Node
	name := yamlfile.Text(made, "metadata", "name")
	for _, n := range items(docs) {
		if yamlfile.Text(n, "kind") != yamlfile.Text(made, "kind") {
			continue
		}
		if has := yamlfile.Text(n, "metadata", "name"); strings.Contains(name, has) &&
			(best == nil || len(has) > len(yamlfile.Text(best, "metadata", "name"))) {
			best = n
		}
	}
	return best
}

// items replaces lists by their items.
func items(docs []*yaml.Node) []*yaml.Node {
	var all []*yaml.Node
	for _, n := range docs {
		if list := yamlfile.Value(n, "items"); list != nil && list.Kind == yaml.SequenceNode &&
			strings.HasSuffix(yamlfile.Text(n, "kind"), "List") {
			all = append(all, list.Content...)
			continue
		}
		all = append(all, n)
	}
	return all
}

// generatorLine returns the line of the generator of an object in a kustomization.
func generatorLine(made *yaml.Node, docs []*yaml.Node) int {
	name := yamlfile.Text(made, "metadata", "name")
	best, line := "", 1
	for _, key := range []string{"configMapGenerator", "secretGenerator"} {
		for _, n := range docs {
			list := yamlfile.Value(n, key)
			if list == nil {
				continue
			}
			for _, g := range list.Content {
				if has := yamlfile.Text(g, "name"); len(has) > len(best) && strings.Contains(name, has) {
					best, line = has, g.Line
				}
			}
		}
	}
	return line
}

// placer fills in the lines of an object.
type placer struct {
	name  string
	lines map[int]yamlfile.Pos
}

// follow goes through the object and its origin, from which it may differ. New values have the
// place of the nearest one around them.
func (p placer) follow(made, from *yaml.Node, line int) {
	if from != nil {
		line = from.Line
	}
	switch made.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(made.Content); i += 2 {
			key, value := yamlfile.Field(from, made.Content[i].Value)
			at := line
			if key != nil {
				at = key.Line
			}
			p.lines[made.Content[i].Line] = yamlfile.Pos{File: p.name, Line: at}
			p.follow(made.Content[i+1], value, at)
		}
	case yaml.SequenceNode:
		for i, n := range made.Content {
			item := itemOf(n, i, from)
			at := line
			if item != nil {
				at = item.Line
			}
			p.lines[n.Line] = yamlfile.Pos{File: p.name, Line: at}
			p.follow(n, item, at)
		}
	}
}

// itemOf returns the item of a list that another one is from: that of its name, or of its value,
// or else of its index.
func itemOf(n *yaml.Node, i int, list *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	name := yamlfile.Text(n, "name")
	for _, item := range list.Content {
		if name != "" && yamlfile.Text(item, "name") == name || n.Kind == yaml.ScalarNode && item.Kind == n.Kind &&
			item.Value == n.Value {
			return item
		}
	}
	if i < len(list.Content) {
		return list.Content[i]
	}
	return nil
}
