package tree

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
)

// Top returns the sorted names in the root directory of a layer's tar. A layer for Windows has
// Files and Hives there.
func (a *Archives) Top(ctx context.Context, l v1.Layer, diffID v1.Hash) ([]string, error) {
	entries, err := a.index(ctx, l.Compressed, diffID)
	if err != nil {
		return nil, a.blame(ctx, l, err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if name, _, _ := strings.Cut(path.Clean("/" + e.Name)[1:], "/"); name != "" {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// Twice returns two names in a layer that are those of one file on Windows; "" for none.
// Directories may be repeated.
func (a *Archives) Twice(ctx context.Context, l v1.Layer, diffID v1.Hash) (first, second string, err error) {
	entries, err := a.index(ctx, l.Compressed, diffID)
	if err != nil {
		return "", "", a.blame(ctx, l, err)
	}
	seen := map[string]string{}
	for _, e := range entries {
		name := path.Clean("/" + e.Name)
		key := layer.Fold(name)
		if e.Kind == layer.Dir || strings.HasPrefix(path.Base(name), whiteout) {
			continue
		}
		if old, ok := seen[key]; ok && old != name {
			return old, name, nil
		}
		seen[key] = name
	}
	return "", "", nil
}
