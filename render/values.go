package render

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// expandValues returns release.values with every string expanded.
func expandValues(p *product.Product, l *lock.Lock) (map[string]any, error) {
	return expandAll(p.Release.Values, p.Release.ValuePos, "release.values", p, l)
}

// expandAll returns values, which errors call by a name, with every string expanded.
func expandAll(in map[string]any, places map[string]yamlfile.Pos, called string, p *product.Product,
	l *lock.Lock,
) (map[string]any, error) {
	var errs []error
	v := expandAny(in, nil, func(path []string, s string) string {
		out, err := expand(s, p, l)
		if err != nil {
			path := fieldPath(path)
			errs = append(errs, fmt.Errorf("%s: %s.%s: %w", places[path], called, path, err))
		}
		return out
	})
	values, _ := v.(map[string]any)
	return values, errors.Join(errs...)
}

// expandAny copies v with each string replaced, visiting maps in the order of their keys.
func expandAny(v any, path []string, replace func(path []string, s string) string) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m[k] = expandAny(v[k], append(path, k), replace)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = expandAny(e, append(path, fmt.Sprintf("[%d]", i)), replace)
		}
		return list
	case string:
		return replace(path, v)
	}
	return v
}

// expand runs one template of slipway.yaml.
func expand(text string, p *product.Product, l *lock.Lock) (string, error) {
	return product.ExpandImages(text, product.BuildInfo{Version: p.Version}, func(name string) (string, error) {
		i, ok := l.Image(name)
		if !ok {
			return "", fmt.Errorf("the lock has no image %q", name)
		}
		return i.Reference(), nil
	})
}
