package containerfile

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/tree"
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
	if b.in.Check && found.Image != nil && !i.open {
		if i.open, err = b.archives.Distant(found.Image); err != nil {
			return base.Base{}, nil, err
		}
	}
	i.files = sync.OnceValues(func() (*tree.Tree, error) {
		if b.in.Check && i.open {
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
	if b.images == nil {
		b.images = map[string]*imageFiles{}
	}
	b.images[key] = i
	return found, i, nil
}
