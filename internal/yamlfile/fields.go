package yamlfile

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fields decodes a struct and reports fields that are unknown, missing, or exclude each other.
func (d *Document) fields(n *yaml.Node, v reflect.Value) {
	byName := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name := fieldName(v.Type().Field(i))
		byName[name] = i
		names = append(names, name)
	}
	present := map[string]bool{}
	misspelled := false // an unknown field may be the missing one
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		field, ok := byName[k.Value]
		if !ok {
			d.At(d.pos(k), "unknown field %q: %s", k.Value, Suggest(k.Value, names))
			if meant, ok := closest(k.Value, names); ok {
				present[meant] = true
			} else {
				misspelled = true
			}
			continue
		}
		present[k.Value] = true
		d.variable(k, n.Content[i+1], v.Field(field), v.Type().Field(field).Tag)
	}
	d.required(n, v.Type(), present)
	d.groups(n, v.Type(), present, misspelled)
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// options returns the values that a jsonschema tag gives a keyword; "" for a keyword alone.
func options(tags reflect.StructTag, keyword string) []string {
	var all []string
	for _, o := range strings.Split(tags.Get("jsonschema"), ",") {
		if k, v, _ := strings.Cut(o, "="); k == keyword {
			all = append(all, v)
		}
	}
	return all
}

func (d *Document) required(n *yaml.Node, t reflect.Type, present map[string]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if name := fieldName(f); len(options(f.Tag, "required")) > 0 && !present[name] {
			d.At(d.pos(n), "%s is missing: add it", name)
		}
	}
}

// groups checks oneof_required and anyof_required. A group goes by the name of its first field.
func (d *Document) groups(n *yaml.Node, t reflect.Type, present map[string]bool, misspelled bool) {
	d.group(n, t, present, misspelled, "oneof_required")
	d.group(n, t, present, misspelled, "anyof_required")
}

// group checks the groups of one of these tags.
func (d *Document) group(n *yaml.Node, t reflect.Type, present map[string]bool, misspelled bool, tag string) {
	var groups []string
	first := map[string]string{}
	needs := map[string][]string{} // the fields of a group
	for i := range t.NumField() {
		f := t.Field(i)
		name := fieldName(f)
		for _, g := range options(f.Tag, tag) {
			if first[g] == "" {
				groups = append(groups, g)
				first[g] = name
			}
			if f.Tag.Get("yamlfile") != "asked" {
				needs[g] = append(needs[g], name)
			}
		}
	}
	if len(groups) == 0 {
		return
	}
	names := func(groups []string) string {
		all := make([]string, 0, len(groups))
		for _, g := range groups {
			all = append(all, first[g])
		}
		return strings.Join(all, ", ")
	}
	given := slices.DeleteFunc(slices.Clone(groups), func(g string) bool { return !present[first[g]] })
	switch {
	case len(given) == 0 && !misspelled:
		d.At(d.pos(n), "none of %s is here: add one of them", names(groups))
	case len(given) > 1 && tag == "oneof_required":
		d.At(d.pos(n), "%s exclude each other: keep one of them", names(given))
	}
	if len(given) > 1 && tag == "oneof_required" {
		return
	}
	for _, g := range given {
		for _, f := range needs[g] {
			if !present[f] {
				d.At(d.pos(n), "%s is missing, which %s needs: add it", f, first[g])
			}
		}
	}
}
