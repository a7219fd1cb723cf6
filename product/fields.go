package product

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fields reads a struct and reports fields that are unknown, missing, or too many.
func (d *document) fields(n *yaml.Node, v reflect.Value, depth int) {
	byName := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		byName[name] = i
		names = append(names, name)
	}
	present := map[string]bool{}
	for _, p := range d.pairs(n) {
		i, ok := byName[p.key.Value]
		if !ok {
			if !nearly(p.key.Value, names, present) {
				present[""] = true
			}
			d.at(d.pos(p.key), "unknown field %q: %s", p.key.Value, choose(p.key.Value, names))
			continue
		}
		present[p.key.Value] = true
		d.value(p.key, p.value, v.Field(i), depth+1, v.Type().Field(i).Tag)
	}
	d.missing(n, v.Type(), present)
}

// nearly marks the field that a misspelled one was meant to be, so that it is not reported as
// missing, too.
func nearly(name string, names []string, present map[string]bool) bool {
	s, ok := suggestion(name, names)
	if ok {
		present[s] = true
	}
	return ok
}

type pair struct{ key, value *yaml.Node }

// pairs lists the entries of a mapping whose keys are good, and reports the others.
func (d *document) pairs(n *yaml.Node) []pair {
	var all []pair
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch first := seen[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			d.at(d.pos(k), "this is %s where a name should be: write name: value", kind(k))
		case k.Tag == "!!merge":
			d.at(d.pos(k), "merge keys are not read here: write the fields out")
		case first != nil:
			d.at(d.pos(k), "%q stands here twice, first on line %d: keep one", k.Value, first.Line)
		default:
			seen[k.Value] = k
			all = append(all, pair{k, n.Content[i+1]})
		}
	}
	return all
}
