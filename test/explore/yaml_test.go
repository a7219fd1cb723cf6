//go:build linux

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
	return below(n).Draw(t, "with "+what) == n-1
}

// pick draws one of the values.
func pick[T any](t *rapid.T, what string, values ...T) T {
	return values[below(len(values)).Draw(t, what)]
}

// below draws numbers below n, each as often. Those of rapid are small ones mostly.
func below(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int {
		v := 0
		for range 12 {
			v <<= 1
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v * n >> 12
	})
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
