package yamlfile

import (
	"go.yaml.in/yaml/v3"
)

// expander resolves aliases and merge keys and refuses what readers disagree about: a key that is
// there twice, a key that is not a scalar, tags of an application. Aliased values are shared, not
// copied; the bounds apply to the size with each use counted.
type expander struct {
	file    *File
	options Options
	done    map[*yaml.Node]size // anchored values, which may be used again
	within  map[*yaml.Node]bool // the values around the current one
	used    size                // by earlier documents of the file
	merged  int                 // keys and values that << has named so far
}

// size is the extent of a value after expansion.
type size struct{ values, depth, text int }

// root expands the value of a document. If ok is false, the file exceeds its bounds or refers to
// itself, and its value must not be used.
func (e *expander) root(n *yaml.Node) (out *yaml.Node, ok bool) {
	out, s, ok := e.node(n)
	e.used.values += s.values
	e.used.text += s.text
	return out, ok
}

func (e *expander) node(n *yaml.Node) (*yaml.Node, size, bool) {
	if n.Kind == yaml.AliasNode {
		return e.alias(n)
	}
	if s, ok := e.done[n]; ok {
		return n, s, true
	}
	if len(e.within) > e.options.MaxDepth {
		return nil, size{}, e.tooDeep(n)
	}
	e.within[n] = true
	defer delete(e.within, n)
	s := size{values: 1, text: len(n.Value)}
	switch n.Kind {
	case yaml.MappingNode:
		if !e.merge(n) {
			return nil, s, false
		}
		e.keys(n)
	case yaml.ScalarNode:
		if !tags[n.Tag] {
			e.file.At(e.file.Pos(n), "the tag %s is not one of YAML's: take it out", n.Tag)
		}
	}
	for i, c := range n.Content {
		child, cs, ok := e.node(c)
		if !ok {
			return nil, s, false
		}
		n.Content[i] = child
		s = size{s.values + cs.values, max(s.depth, cs.depth+1), s.text + cs.text}
		if !e.bounded(c, s) {
			return nil, s, false
		}
	}
	if n.Anchor != "" {
		e.done[n] = s
	}
	return n, s, true
}

// alias returns the value that an alias repeats, at the position of the alias.
func (e *expander) alias(n *yaml.Node) (*yaml.Node, size, bool) {
	if e.within[n.Alias] {
		e.file.At(e.file.Pos(n), "the alias *%s is part of the value that it repeats: write the value out", n.Value)
		return nil, size{}, false
	}
	target, s, ok := e.node(n.Alias)
	if !ok {
		return nil, s, false
	}
	use := *target
	use.Line, use.Column = n.Line, n.Column
	return &use, s, true
}

// bounded reports whether a value with all up to its child c is within the bounds.
func (e *expander) bounded(c *yaml.Node, s size) bool {
	switch o := e.options; {
	case e.used.values+s.values > o.MaxValues:
		e.file.At(e.file.Pos(c),
			"the file has more than %d values, including those that aliases repeat: take aliases out", o.MaxValues)
	case e.used.text+s.text > o.MaxText:
		e.file.At(e.file.Pos(c), "the file has more than %s of text, including what aliases repeat: take aliases out",
			mib(o.MaxText))
	case s.depth > o.MaxDepth:
		return e.tooDeep(c)
	default:
		return true
	}
	return false
}

func (e *expander) tooDeep(n *yaml.Node) bool {
	e.file.At(e.file.Pos(n), "values nest more than %d deep: take levels out", e.options.MaxDepth)
	return false
}

// tags are those of values that JSON has, and of values that JSON writes as text.
var tags = map[string]bool{
	"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!timestamp": true,
	"!!binary": true, "!!merge": true,
}

// merge adds the fields that a "<<" key names to those of the mapping, which win.
func (e *expander) merge(n *yaml.Node) bool {
	var own, merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			own = append(own, n.Content[i], n.Content[i+1])
			continue
		}
		if !e.options.MergeKeys {
			e.file.At(e.file.Pos(n.Content[i]), "merge keys are not supported here: write the fields out")
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, s := range sources {
			m, _, ok := e.node(s)
			if !ok {
				return false
			}
			if m.Kind != yaml.MappingNode {
				e.file.At(e.file.Pos(s), "<< needs fields: name a mapping, or a list of mappings")
				continue
			}
			merged = append(merged, m.Content...)
			if e.merged += len(m.Content); e.merged > e.options.MaxValues {
				e.file.At(e.file.Pos(s), "the file has more than %d values, "+
					"including those that << repeats: take them out", e.options.MaxValues)
				return false
			}
		}
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
	return true
}

// keys reports keys that are not scalars or are there twice, and drops their fields.
func (e *expander) keys(n *yaml.Node) {
	first := map[string]*yaml.Node{}
	var good []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			e.file.At(e.file.Pos(k), "this is %s where a name should be: write name: value", describe(k))
			continue
		}
		name := Key(k)
		if before := first[name]; before != nil {
			e.file.At(e.file.Pos(k), "duplicate key %q, first on line %d: keep one", name, before.Line)
			continue
		}
		first[name] = k
		good = append(good, n.Content[i], n.Content[i+1])
	}
	n.Content = good
}
