package workload

import (
	"go.yaml.in/yaml/v3"
)

// expand returns n with aliases and merge keys put in, and refuses what readers disagree about: a
// key that is there twice, a key that is no scalar, tags of an application. Aliased values are
// shared, not copied; the bounds are on what they come to when each use is counted.
func (r *reader) expand(n *yaml.Node) (*yaml.Node, error) {
	e := &expander{file: r.file, done: map[*yaml.Node]size{}, in: map[*yaml.Node]bool{}, budget: maxNodes - r.nodes, textBudget: maxText - r.text}
	out, s, err := e.node(n)
	if err != nil {
		return nil, err
	}
	r.nodes += s.nodes
	r.text += s.text
	return out, nil
}

type expander struct {
	file       string
	done       map[*yaml.Node]size // anchored values, which may be used again
	in         map[*yaml.Node]bool // those on the way here
	budget     int                 // of values
	textBudget int                 // of their bytes
	merged     int                 // keys and values that << has named so far
}

// size is what a value comes to without aliases.
type size struct{ nodes, depth, text int }

func (e *expander) node(n *yaml.Node) (*yaml.Node, size, error) {
	if n.Kind == yaml.AliasNode {
		at := n
		n = n.Alias
		if e.in[n] {
			return nil, size{}, errorAt(pos(e.file, at), "the alias *%s stands inside of what it repeats: write the value out", at.Value)
		}
	}
	if s, ok := e.done[n]; ok {
		return n, s, nil
	}
	if len(e.in) > maxDepth {
		return nil, size{}, e.deep(n)
	}
	e.in[n] = true
	defer delete(e.in, n)
	s := size{nodes: 1, text: len(n.Value)}
	switch n.Kind {
	case yaml.MappingNode:
		if err := e.merge(n); err != nil {
			return nil, s, err
		}
		if err := e.keys(n); err != nil {
			return nil, s, err
		}
	case yaml.ScalarNode:
		if !known[n.Tag] {
			return nil, s, errorAt(pos(e.file, n), "the tag %s is not one of YAML's: take it out", n.Tag)
		}
	}
	for i, c := range n.Content {
		child, cs, err := e.node(c)
		if err != nil {
			return nil, s, err
		}
		n.Content[i] = child
		s.nodes += cs.nodes
		s.text += cs.text
		s.depth = max(s.depth, cs.depth+1)
		if s.nodes > e.budget {
			return nil, s, errorAt(pos(e.file, c), "the file has more than %d values, those that aliases repeat included: take aliases out", maxNodes)
		}
		if s.text > e.textBudget {
			return nil, s, errorAt(pos(e.file, c), "the file has more than %d MiB of text, that which aliases repeat included: take aliases out", maxText>>20)
		}
		if s.depth > maxDepth {
			return nil, s, e.deep(c)
		}
	}
	if n.Anchor != "" {
		e.done[n] = s
	}
	return n, s, nil
}

func (e *expander) deep(n *yaml.Node) error {
	return errorAt(pos(e.file, n), "values nest more than %d deep: take levels out", maxDepth)
}

// known are the tags of values that JSON has, and those that come to one of them.
var known = map[string]bool{
	"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!timestamp": true, "!!binary": true, "!!merge": true,
}

// merge puts the fields that a "<<" key names behind those of the mapping; its own win.
func (e *expander) merge(n *yaml.Node) error {
	var own, merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			own = append(own, n.Content[i], n.Content[i+1])
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, s := range sources {
			m, _, err := e.node(s)
			if err != nil {
				return err
			}
			if m.Kind != yaml.MappingNode {
				return errorAt(pos(e.file, s), "<< names something that has no fields: name a mapping, or a list of them")
			}
			merged = append(merged, m.Content...)
			if e.merged += len(m.Content); e.merged > maxNodes {
				return errorAt(pos(e.file, s), "the file has more than %d values, those that << repeats included: take them out", maxNodes)
			}
		}
	}
	if merged == nil {
		return nil
	}
	have := map[string]bool{}
	for i := 0; i < len(own); i += 2 {
		have[own[i].Value] = true
	}
	for i := 0; i+1 < len(merged); i += 2 {
		if k := merged[i]; !have[k.Value] {
			have[k.Value] = true
			own = append(own, k, merged[i+1])
		}
	}
	n.Content = own
	return nil
}

// keys checks the keys of a mapping.
func (e *expander) keys(n *yaml.Node) error {
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			return errorAt(pos(e.file, k), "this is no name for a field: write name: value")
		}
		name := key(k)
		if before := first[name]; before != nil {
			return errorAt(pos(e.file, k), "%q stands here twice, first on line %d: keep one", name, before.Line)
		}
		first[name] = k
	}
	return nil
}
