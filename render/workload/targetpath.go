package workload

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// single is a value that a HelmRelease takes from another object, to set one value of its chart.
type single struct {
	path  []string   // targetPath
	value *yaml.Node // at the place in valuesFrom; nil if it is not known
	item  int        // of valuesFrom
}

// plainPath and plainValue match what Flux reads as one key after the other, and as one text.
var (
	plainPath  = lazyregexp.New(`^[\w-]+(\.[\w-]+)*$`)
	plainValue = lazyregexp.New(`^[\w./:@+-]+$`)
)

// singles returns the values that a HelmRelease takes from objects.
func singles(o Object, objects []Object) (all []single) {
	for n, from := range items(o.Node, "spec", "valuesFrom") {
		target := yamlfile.Text(from, "targetPath")
		if target == "" {
			continue
		}
		s := single{path: strings.Split(target, "."), item: n}
		at := source{yamlfile.Text(from, "kind"), o.Namespace, yamlfile.Text(from, "name")}
		value := at.value(objects, cmp.Or(yamlfile.Text(from, "valuesKey"), "values.yaml"))
		if plainPath.MatchString(target) && plainValue.MatchString(value) {
			place := yamlfile.Value(from, "targetPath")
			s.value = &yaml.Node{
				Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value,
				Line: place.Line, Column: place.Column,
			}
		}
		all = append(all, s)
	}
	return all
}

// value returns what the data of a ConfigMap or a Secret has under a key; "" for nothing.
func (s source) value(objects []Object, key string) string {
	for _, o := range objects {
		if o.APIVersion != "v1" || (source{o.Kind, o.Namespace, o.Name}) != s {
			continue
		}
		for _, field := range []string{"stringData", "data"} {
			v := yamlfile.Value(o.Node, field, key)
			if v == nil || v.Kind != yaml.ScalarNode {
				continue
			}
			if v = o.decoded(field, v); v != nil {
				return strings.TrimSpace(v.Value)
			}
		}
	}
	return ""
}

// decisive are the keys of values without which the image is another one. The field of a
// repository is reported by itself if its tag is not known.
var decisive = map[string]bool{
	"repository": true, "image": true, "registry": true, "imageRegistry": true, "digest": true,
}

func anys(path []string) (all []any) {
	for _, key := range path {
		all = append(all, key)
	}
	return all
}

// singles sets the values that a HelmRelease takes from other objects. A value of its own wins, as
// in Flux. n is the HelmRelease, which stays as it is.
func (w *composedWalk) singles(n *yaml.Node) *yaml.Node {
	for _, s := range w.object.single {
		path := append([]string{"spec", "values"}, s.path...)
		switch {
		case s.value != nil:
			n = set(n, path, s.value)
			w.set = append(w.set, s.value)
		case yamlfile.Value(n, anys(path)...) == nil && decisive[s.path[len(s.path)-1]]:
			at := []any{"spec", "valuesFrom", s.item}
			w.add(yamlfile.Value(w.object.Node, at...), at, Composed{
				Value: strings.Join(s.path, "."), Why: "valuesFrom sets it to a value that the manifests do not have",
			})
		}
	}
	return n
}

// set returns a mapping with a value at a path, unless it already has one.
func set(n *yaml.Node, path []string, value *yaml.Node) *yaml.Node {
	if len(path) == 0 {
		if n == nil {
			return value
		}
		return n
	}
	if n == nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Line: value.Line, Column: value.Column}
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	changed := *n
	changed.Content = slices.Clone(n.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == path[0] {
			changed.Content[i+1] = set(n.Content[i+1], path[1:], value)
			return &changed
		}
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0], Line: value.Line, Column: value.Column}
	changed.Content = append(changed.Content, key, set(nil, path[1:], value))
	return &changed
}
