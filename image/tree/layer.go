package tree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/layer"
)

// Entries are those of a layer, sorted by path, and the files of which they have the content.
type Entries struct {
	All   []layer.Entry
	files map[string]*Node
}

// Fill gives entries of the tree their content. Files that are still in it keep the content, for
// another stage that copies them.
func (t *Tree) Fill(list Entries) error {
	settled := map[*Node]*Node{} // hard links stay one file
	for n := range list.All {
		e := &list.All[n]
		file := list.files[e.Path]
		switch there := t.Nodes[e.Path]; {
		case file != nil:
			if err := t.Budget.add(file.size); err != nil {
				return err
			}
			content, err := file.Content()
			if err != nil {
				return fmt.Errorf("reading %s: %w", e.Path, err)
			}
			if err := t.Budget.add(content.Size - file.size); err != nil {
				return err
			}
			e.Content = content
			if there != file {
				continue
			}
			k := *file
			k.Content = func() (layer.Content, error) { return content, nil }
			t.Nodes[e.Path] = &k
			if file.Hard {
				settled[file] = &k
			}
		case e.Type == layer.Hardlink && settled[there] != nil:
			t.Nodes[e.Path] = settled[there]
		}
	}
	return nil
}

// Merge lays another tree over t, as COPY --link does: nothing that was in t decides where the
// files go. On Windows a directory that is there stays as it is, with its permissions.
func (t *Tree) Merge(other *Tree) error {
	for _, p := range slices.Sorted(maps.Keys(other.Nodes)) {
		if t.spelling != nil && other.Nodes[p].Kind == layer.Dir {
			there, err := t.Lstat(p)
			if err != nil {
				return err
			}
			if there != nil && there.Kind == layer.Dir {
				continue
			}
		}
		if err := t.Set(p, other.Nodes[p]); err != nil {
			return err
		}
	}
	return nil
}

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

// labeled returns an error for a layer that is compressed, and whose media type says that it is
// not: nodes unpack it as it is. In the other direction they look at its first bytes.
func labeled(l v1.Layer, diffID v1.Hash) error {
	t, err := l.MediaType()
	if err != nil || !slices.Contains([]types.MediaType{
		types.OCIUncompressedLayer, types.OCIUncompressedRestrictedLayer, types.DockerUncompressedLayer,
	}, t) {
		return err
	}
	d, err := l.Digest()
	if err == nil && d != diffID {
		err = errors.New("it is compressed, and its media type says that it is not, so that nodes do not unpack it: " +
			"build the image anew")
	}
	return err
}
