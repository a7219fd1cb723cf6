package containerfile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// imageFiles is a base image or one to copy from. Its layers are read when their content is first
// needed.
type imageFiles struct {
	base  base.Base
	files func() (*tree.Tree, error)
	open  bool // the files are not at hand
}

// image resolves an image's name, once for each platform.
func (b *builder) image(ctx context.Context, name string, p platform.Platform) (base.Base, *imageFiles, error) {
	key := name + " " + formatPlatform(p)
	if i, ok := b.images[key]; ok {
		return i.base, i, nil
	}
	if b.in.Base == nil {
		return base.Base{},
			nil, errors.New("images are not available here: use scratch, a stage above or a named context")
	}
	found, err := b.in.Base(ctx, name, p)
	if err != nil {
		return base.Base{}, nil, err
	}
	i := &imageFiles{base: found, open: found.Info != nil && found.Info.Stub}
	if b.check && found.Image != nil && !i.open {
		if i.open, err = b.archives.Distant(found.Image); err != nil {
			return base.Base{}, nil, err
		}
	}
	i.files = sync.OnceValues(func() (*tree.Tree, error) {
		if b.check && i.open {
			b.assume()
			t := tree.New(nil)
			t.Open = true
			return t, nil
		}
		t, err := b.archives.ReadImage(ctx, found.Image)
		if err != nil {
			return nil, fmt.Errorf("reading the layers of %s: %w", name, err)
		}
		t.Open = i.open
		b.held += len(t.Nodes)
		return t, nil
	})
	put(&b.images, key, i)
	return found, i, nil
}

// Reference is an image that FROM, or --from of COPY, names and slipway.yaml does not.
type Reference struct {
	Reference name.Reference
	Platform  platform.Platform
	Pos       yamlfile.Pos // of its word in the Dockerfile
}

// refers notes what a release to a registry asks for of an image, and where the image is named.
func (b *builder) refers(at []parser.Range, word string, of base.Base, p platform.Platform) {
	if of.Demand != nil {
		b.demands.Add(at, word, of.Demand)
	}
	if of.Reference != nil {
		line, column := b.report.Position(at, word)
		b.references = append(b.references,
			Reference{of.Reference, p, yamlfile.Pos{File: b.report.File, Line: line, Column: column}})
	}
}

// stubFiles adds the files that are copied to the files of an image that is not at hand. The text
// of each explains this. more reports whether the image may have others among them. stubFiles
// returns files that are all known as they are. A source that ends in a slash means a directory,
// and * in a name a word; [ and ? match nothing.
func stubFiles(src tree.Files, of base.Base, paths []string, os string) (_ tree.Files, more bool, err error) {
	below, ok := src.(*tree.Tree)
	if !ok || !below.Open {
		return src, false, nil
	}
	image := "an unknown image"
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
