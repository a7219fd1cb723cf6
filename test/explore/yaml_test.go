package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// object is a mapping of slipway.yaml.
type object = map[string]any

// encode returns the text of slipway.yaml.
func encode(o object) string {
	text, err := yaml.Marshal(o)
	if err != nil {
		panic(err) // values are strings, lists and mappings
	}
	return string(text)
}

// keys returns the paths of the keys of slipway.yaml as the schema has them: images[].name.
func keys(v any, path string, schema *schema, to map[string]int) {
	switch v := v.(type) {
	case object:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			at := strings.TrimPrefix(path+"."+k, ".")
			if !schema.has(at) {
				at = path + "{}" // a key of the user's
				to[at]++
				continue
			}
			to[at]++
			keys(v[k], at, schema, to)
		}
	case []object:
		for _, e := range v {
			keys(e, path+"[]", schema, to)
		}
	}
}

// maybe draws a value of a generator in one of n draws, and nothing in the others.
func maybe(t *rapid.T, n int, what string) bool {
	return rapid.IntRange(0, n-1).Draw(t, "with "+what) == n-1
}

// pick draws one of the values.
func pick[T any](t *rapid.T, what string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, what)
}

// some draws a subset of the values in their order, with at least that many of them.
func some[T any](t *rapid.T, what string, least int, values ...T) []T {
	var out []T
	for n, v := range values {
		if len(values)-n <= least-len(out) || rapid.Bool().Draw(t, fmt.Sprintf("%s %v", what, v)) {
			out = append(out, v)
		}
	}
	return out
}
