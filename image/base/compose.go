package base

import (
	"context"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// compose writes an image of one layer into the store.
func compose(ctx context.Context, st *store.Store, p platform.Platform, entries []layer.Entry, config v1.Config,
	by string,
) (v1.Image, v1.Hash, error) {
	l, err := layer.Write(ctx, st, entries, layer.Options{OS: p.OS, ModTime: layer.Epoch})
	if err != nil {
		return nil, v1.Hash{}, err
	}
	d, _, err := manifest.Write(st, manifest.Image{
		Platform: p, Config: config, Created: time.Unix(0, 0),
		Layers: []manifest.Layer{{Layer: l, CreatedBy: by}},
	})
	if err != nil {
		return nil, v1.Hash{}, err
	}
	img, err := st.Image(d.Digest)
	return img, d.Digest, err
}
