package containerfile

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// stubFiles completes files of which not all are known, those of an image that is not at hand, by
// the ones that are to be copied out of it: each explains what it is. more reports whether there
// may be others among them. Files that are all known stay as they are. A source that ends in a
// slash is taken for a directory, and * in a name for a word; [ and ? match nothing here.
func stubFiles(src tree.Files, of base.Base, paths []string, os string) (_ tree.Files, more bool, err error) {
	below, ok := src.(*tree.Tree)
	if !ok || !below.Open {
		return src, false, nil
	}
	image := "what is not at hand"
	if of.Info != nil {
		image = of.Info.Name
	}
	t := tree.New(func() (*tree.Tree, error) { return below, nil })
	for _, p := range paths {
		clean, err := system.NormalizePath("/", p, os, true)
		if err != nil {
			return nil, false, err
		}
		more = more || tree.Wild(clean) || strings.HasSuffix(clean, "/")
		name := path.Clean(strings.ReplaceAll(clean, "*", "stub"))
		if strings.HasSuffix(clean, "/") {
			name = path.Join(name, "stub.txt")
		}
		name, there, err := tree.Resolve(t, name)
		if err != nil {
			return nil, false, err
		}
		if there != nil {
			more = more || there.Kind == layer.Dir
			continue
		}
		dir := path.Dir(name)
		for tree.Wild(dir) {
			dir = path.Dir(dir)
		}
		if err := t.MkdirAll(dir, tree.Root); err != nil {
			return nil, false, err
		}
		if tree.Wild(name) {
			continue
		}
		if err := t.Set(name, stubFile(p, image)); err != nil {
			return nil, false, err
		}
	}
	return t, more, nil
}

func stubFile(name, of string) *tree.Node {
	text := fmt.Sprintf("This file replaces %s of %s in a snapshot that was made without a network.\nName "+
		"a registry to copy the real one.\n", name, of)
	return &tree.Node{Kind: layer.Regular, Mode: 0o755, Stub: true, Content: func() (layer.Content, error) {
		return layer.Bytes([]byte(text)), nil
	}}
}

// others returns the images that were used besides the base of the target, sorted by
// name.
func (b *builder) others(target base.Base) []base.Info {
	all := map[string]base.Info{}
	for _, i := range b.images {
		if info := i.base.Info; info != nil && (target.Info == nil || info.Digest != target.Info.Digest) {
			all[info.Name+" "+info.Digest.String()] = *info
		}
	}
	var list []base.Info
	for _, k := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[k])
	}
	return list
}
