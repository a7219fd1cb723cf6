package chart

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// value is a scalar in the values.yaml of a chart or subchart.
type value struct {
	file   string // its path in the chart
	node   *yaml.Node
	parent *yaml.Node // the map or list that has it
	key    *yaml.Node // nil in a list
	charts [][]any    // the paths of the chart's values in those of the top chart, one for each name
	path   []any      // from the values of the chart
	also   [][]any    // other paths that the file gives the same text, by aliases of YAML
}

// at returns the path of the value in the values of the top chart, by a name of its chart.
func (v *value) at(chart []any) string { return yamlfile.Path("", slices.Concat(chart, v.path)...) }

// ways returns all paths of the value in the values of the top chart, by a name of its chart.
func (v *value) ways(chart []any) []string {
	all := []string{v.at(chart)}
	for _, path := range v.also {
		all = append(all, yamlfile.Path("", slices.Concat(chart, path)...))
	}
	return all
}

// of returns the names of the value's chart by which a template uses it: one of those above the
// template or of the template's chart itself, and otherwise any.
func (v *value) of(template string) [][]any {
	in := chartOf(template)
	if len(v.charts) > 1 {
		for _, chart := range v.charts {
			if len(chart) <= len(in) && slices.Equal(chart, in[:len(chart)]) {
				return [][]any{chart}
			}
		}
	}
	return v.charts
}

// below reports whether a path of values is another one, or below it.
func below(at, p string) bool {
	return at == p || strings.HasPrefix(at, p) && strings.ContainsAny(at[len(p):len(p)+1], ".[")
}

// allValues lists the scalars of the values of a chart and of its subcharts.
func (c *Chart) allValues() []*value {
	var all []*value
	for _, f := range c.valuesFiles() {
		dir := path.Dir(f.Path)
		if _, ok := c.file(path.Join(dir, chartFile)); !ok {
			continue
		}
		instances := c.instances(dir)
		var root yaml.Node
		if err := yaml.Unmarshal(f.Data, &root); err != nil || len(root.Content) == 0 {
			continue // which Helm has refused
		}
		c := &collector{aliases: maxAliases}
		c.collect(&value{file: f.Path, node: root.Content[0], charts: instances})
		all = append(all, c.all...)
	}
	return all
}

// maxAliases bounds the values that aliases of YAML repeat.
const maxAliases = 10_000

// collector gathers the scalars of a file.
type collector struct {
	all     []*value
	aliased bool // below an alias
	aliases int  // how many more values there may be
}

// collect adds the scalars below a value. What an alias repeats gets another path.
func (c *collector) collect(at *value) {
	n := at.node
	if c.aliased {
		if c.aliases--; c.aliases < 0 {
			return
		}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if !c.aliased {
			c.all = append(c.all, at)
		} else if i := slices.IndexFunc(c.all, func(v *value) bool { return v.node == n }); i >= 0 {
			c.all[i].also = append(c.all[i].also, at.path)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, below := n.Content[i], at.child(n.Content[i], n.Content[i+1], n.Content[i].Value)
			if key.Tag == "!!merge" {
				below.path = at.path
			}
			c.collect(below)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			c.collect(at.child(nil, item, i))
		}
	case yaml.AliasNode:
		was := c.aliased
		c.aliased = true
		of := *at
		of.node = n.Alias
		c.collect(&of)
		c.aliased = was
	}
}

// child returns a value of a map, or of a list without a key.
func (v *value) child(key, node *yaml.Node, step any) *value {
	return &value{
		file: v.file, node: node, parent: v.node, key: key, charts: v.charts,
		path: append(slices.Clone(v.path), step),
	}
}

// siblings returns the scalars of the map that has the value whose keys match.
func (v *value) siblings(matches func(key string) bool) (all []*value) {
	for i := 0; v.parent.Kind == yaml.MappingNode && i+1 < len(v.parent.Content); i += 2 {
		key, node := v.parent.Content[i], v.parent.Content[i+1]
		if matches(key.Value) && node.Kind == yaml.ScalarNode {
			path := append(slices.Clone(v.path[:len(v.path)-1]), any(key.Value))
			all = append(all,
				&value{file: v.file, node: node, parent: v.parent, key: key, charts: v.charts, path: path})
		}
	}
	return all
}

// checkMapping reports a mapping whose path no values.yaml has.
func (c *Chart) checkMapping(m Mapping) error {
	all := c.allValues()
	var paths []string
	for _, v := range all {
		for _, chart := range v.charts {
			if slices.ContainsFunc(v.ways(chart), func(at string) bool { return below(at, m.Path) }) {
				return nil
			}
			whole := slices.Concat(chart, v.path)
			for n := range whole {
				paths = append(paths, yamlfile.Path("", whole[:n+1]...))
			}
		}
	}
	slices.Sort(paths)
	return fmt.Errorf("%s: the values of chart %s have no %s: %s", m.Pos, c.Name(), output.Line(m.Path),
		yamlfile.Suggest(m.Path, slices.Compact(paths)))
}

// set returns the chart with another text for a value.
func (c *Chart) set(v *value, text string) (*Chart, error) {
	f, _ := c.file(v.file)
	data, err := setScalar(f.Shown, f.Data, v.node, text)
	if err != nil {
		return nil, err
	}
	return c.with(v.file, data), nil
}

// insert returns the chart with another key behind a value of a map, as the line below it or, in
// a map on one line, behind a comma.
func (c *Chart) insert(v *value, key, text string) (*Chart, error) {
	f, _ := c.file(v.file)
	start, end, ok := yamlfile.Extent(f.Data, v.node)
	if !ok || v.key == nil || start == end {
		return nil, fmt.Errorf("%s: %s: the value has more than one line", f.Shown, key)
	}
	added := ", " + key + ": " + scalar(text, yaml.DoubleQuotedStyle)
	if v.parent.Style&yaml.FlowStyle == 0 {
		for end < len(f.Data) && f.Data[end] != '\n' {
			end++
		}
		added = "\n" + strings.Repeat(" ", v.key.Column-1) + key + ": " + scalar(text, v.node.Style)
	}
	return c.with(v.file, slices.Concat(f.Data[:end], []byte(added), f.Data[end:])), nil
}

// ReadValues reads a file of values in a tree, which no link leads out of. shown is its name for
// messages.
func ReadValues(tree, name, shown string) (map[string]any, error) {
	root, err := regular.OpenRoot(tree)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, err)
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w: correct the path", shown, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(bounds.MaxBytes)+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shown, err)
	}
	if err := yamlfile.Read(shown, data, bounds).Err(); err != nil && strings.TrimSpace(string(data)) != "" {
		return nil, err
	}
	values := map[string]any{}
	if err := k8syaml.Unmarshal(data, &values); err != nil {
		return nil, fmt.Errorf("%s: values are a map: %s", shown, output.Line(err.Error()))
	}
	if values == nil { // an empty file
		values = map[string]any{}
	}
	return values, nil
}

// MergeValues returns values with others in their place, as Helm merges two files of values.
func MergeValues(base, over map[string]any) map[string]any {
	out := copyValues(base)
	for k, v := range copyValues(over) {
		below, ok1 := out[k].(map[string]any)
		above, ok2 := v.(map[string]any)
		if ok1 && ok2 {
			v = MergeValues(below, above)
		}
		out[k] = v
	}
	return out
}
