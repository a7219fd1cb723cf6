package product

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// options returns the values that a jsonschema tag gives a keyword; "" where it has the keyword
// alone.
func options(tags reflect.StructTag, keyword string) []string {
	var all []string
	for _, o := range strings.Split(tags.Get("jsonschema"), ",") {
		if k, v, _ := strings.Cut(o, "="); k == keyword {
			all = append(all, v)
		}
	}
	return all
}

// missing reports the fields that a group lacks by its jsonschema tags: those that are required,
// and those of oneof_required, where each field names the group of fields that it makes complete,
// and one group only may be there.
func (d *document) missing(n *yaml.Node, t reflect.Type, present map[string]bool) {
	var groups []string
	leads := map[string]string{}   // the field that a group is known by, its first
	needs := map[string][]string{} // all fields of a group
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if len(options(f.Tag, "required")) > 0 && !present[name] {
			d.at(d.pos(n), "%s is missing: add it", name)
		}
		for _, g := range options(f.Tag, "oneof_required") {
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
				leads[g] = name
			}
			if f.Tag.Get("slipway") == "asked" {
				continue
			}
			needs[g] = append(needs[g], name)
		}
	}
	if len(groups) == 0 {
		return
	}
	var there, names []string
	for _, g := range groups {
		names = append(names, leads[g])
		if present[leads[g]] {
			there = append(there, g)
		}
	}
	switch {
	case len(there) == 0 && !present[""]:
		d.at(d.pos(n), "none of %s is here: add one of them", strings.Join(names, ", "))
	case len(there) > 1:
		d.at(d.pos(n), "%s exclude each other: keep one of them", strings.Join(values(there, leads), ", "))
	case len(there) == 1:
		for _, f := range needs[there[0]] {
			if !present[f] {
				d.at(d.pos(n), "%s is missing, which %s needs: add it", f, leads[there[0]])
			}
		}
	}
}

func values(keys []string, names map[string]string) []string {
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		out = append(out, names[k])
	}
	return out
}
