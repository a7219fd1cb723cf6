package base

import (
	"context"
	"fmt"
	"io"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/progress"
	"github.com/slipway-dev/slipway/store"
)

// lazy is a base whose manifest and configuration are in the store, and whose layers come there when somebody reads them. Most images
// never need their base's layers here: they name them, and the registry that the images go to has them or mounts them.
type lazy struct {
	v1.Image // of the store

	layers map[v1.Hash]*lazyLayer // by digest
}

// begin puts manifest and configuration of an image into the store.
func begin(ctx context.Context, st *store.Store, pr *progress.Printer, remote v1.Image) (v1.Image, error) {
	config, err := remote.RawConfigFile()
	if err != nil {
		return nil, err
	}
	raw, err := remote.RawManifest()
	if err != nil {
		return nil, err
	}
	if _, err := st.PutBytes(config); err != nil {
		return nil, err
	}
	h, err := st.PutBytes(raw)
	if err != nil {
		return nil, err
	}
	local, err := st.Image(h)
	if err != nil {
		return nil, err
	}
	layers, err := local.Layers()
	if err != nil {
		return nil, err
	}
	cf, err := local.ConfigFile()
	if err != nil {
		return nil, err
	}
	if len(cf.RootFS.DiffIDs) != len(layers) {
		return nil, fmt.Errorf("its configuration has %d layers and its manifest %d: use a base that is whole", len(cf.RootFS.DiffIDs), len(layers))
	}
	l := &lazy{Image: local, layers: map[v1.Hash]*lazyLayer{}}
	for n, layer := range layers {
		d, err := layer.Digest()
		if err != nil {
			return nil, err
		}
		there := func() (v1.Layer, error) { return remote.LayerByDigest(d) }
		l.layers[d] = &lazyLayer{Layer: layer, diffID: cf.RootFS.DiffIDs[n], remote: there, fetch: func(r io.Reader, size int64) error {
			t := pr.Start("fetching "+d.String(), progress.Bytes, size)
			err := st.Put(d, io.TeeReader(io.LimitReader(r, size+1), t))
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				t.Fail()
				return err
			}
			t.Done("%s", progress.Size(size))
			return nil
		}, has: func() bool { return st.Has(d) }}
	}
	return l, nil
}

// Layers returns the layers in the manifest's order.
func (l *lazy) Layers() ([]v1.Layer, error) {
	m, err := l.Manifest()
	if err != nil {
		return nil, err
	}
	var list []v1.Layer
	for _, d := range m.Layers {
		list = append(list, l.layers[d.Digest])
	}
	return list, nil
}

// LayerByDigest returns a layer, or the configuration as one.
func (l *lazy) LayerByDigest(h v1.Hash) (v1.Layer, error) {
	if layer, ok := l.layers[h]; ok {
		return layer, nil
	}
	return l.Image.LayerByDigest(h)
}

// LayerByDiffID returns the layer of that uncompressed digest.
func (l *lazy) LayerByDiffID(h v1.Hash) (v1.Layer, error) {
	for _, layer := range l.layers {
		if layer.diffID == h {
			return layer, nil
		}
	}
	return nil, fmt.Errorf("the base has no layer %s", h)
}

// lazyLayer is a layer that is brought into the store before it is read.
type lazyLayer struct {
	v1.Layer // of the store

	diffID v1.Hash
	remote func() (v1.Layer, error)
	fetch  func(r io.Reader, size int64) error
	has    func() bool
	mu     sync.Mutex
}

// DiffID returns the digest of the layer's tar, as the configuration has it.
func (l *lazyLayer) DiffID() (v1.Hash, error) { return l.diffID, nil }

// Compressed opens the layer.
func (l *lazyLayer) Compressed() (io.ReadCloser, error) {
	if err := l.bring(); err != nil {
		return nil, err
	}
	return l.Layer.Compressed()
}

// Uncompressed opens the layer's tar.
func (l *lazyLayer) Uncompressed() (io.ReadCloser, error) {
	if err := l.bring(); err != nil {
		return nil, err
	}
	return l.Layer.Uncompressed()
}

func (l *lazyLayer) bring() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.has() {
		return nil
	}
	d, err := l.Digest()
	if err != nil {
		return err
	}
	size, err := l.Size()
	if err != nil {
		return err
	}
	there, err := l.remote()
	if err != nil {
		return fmt.Errorf("fetching layer %s: %w", d, err)
	}
	r, err := there.Compressed()
	if err != nil {
		return fmt.Errorf("fetching layer %s: %w", d, err)
	}
	defer r.Close()
	if err := l.fetch(r, size); err != nil {
		return fmt.Errorf("fetching layer %s: %w", d, err)
	}
	return nil
}
