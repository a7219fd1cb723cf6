package base

import (
	"context"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// StubLabel marks a stub base and every image on it.
const StubLabel = "dev.slipway.base.stub"

// Stub makes an image in place of one that only a registry has, or of one whose packages only an
// archive has: with the right os.version, architecture and environment, one file that explains the
// stub, and the label [StubLabel]. A stub cannot run, and publish keeps it off real registries.
func Stub(ctx context.Context, st *store.Store, ref string, p platform.Platform) (Base, error) {
	p = full(p)
	text := fmt.Sprintf("This layer replaces %s in a snapshot that was made without a network.\nIt cannot run. Name a "+
		"registry to build on the real base.\n", ref)
	entries := []layer.Entry{{Path: "/slipway-stub.txt", Mode: 0o444, Content: layer.Bytes([]byte(text))}}
	config := v1.Config{Labels: map[string]string{StubLabel: ref}}
	if p.OS == platform.Windows {
		config.User = "ContainerUser"
		config.Env = []string{`PATH=C:\Windows\system32;C:\Windows;`}
	}
	img, d, err := compose(ctx, st, p, entries, config, "slipway stub of "+ref)
	if err != nil {
		return Base{}, err
	}
	return Base{Image: img, Platform: p, Info: &Info{Name: ref, Digest: d, Stub: true}}, nil
}

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
