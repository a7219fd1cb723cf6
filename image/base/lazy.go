package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
)

// lazy is a base whose manifest and configuration are in the store, and whose layers are fetched
// when they are read. Most images never need their base's layers here: they name them, and the
// registry that the images go to has them or mounts them.
type lazy struct {
	v1.Image // of the store

	layers map[v1.Hash]*lazyLayer // by digest
}

// begin puts manifest and configuration of an image into the store.
func (r *Resolver) begin(ctx context.Context, repo name.Repository, remote image) (v1.Image, error) {
	st := r.Store
	if _, err := st.PutBytes(remote.config); err != nil {
		return nil, err
	}
	h, err := st.PutBytes(remote.manifest.Raw)
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
	m, err := local.Manifest()
	if err != nil {
		return nil, err
	}
	cf, err := local.ConfigFile()
	if err != nil {
		return nil, err
	}
	if len(cf.RootFS.DiffIDs) != len(layers) {
		return nil, fmt.Errorf("its configuration has %d layers and its manifest %d: use an image that is complete",
			len(cf.RootFS.DiffIDs), len(layers))
	}
	l := &lazy{Image: local, layers: map[v1.Hash]*lazyLayer{}}
	for n, layer := range layers {
		d := m.Layers[n]
		l.layers[d.Digest] = &lazyLayer{
			Layer: layer, diffID: cf.RootFS.DiffIDs[n],
			has:   func() (bool, error) { return st.Check(d) },
			fetch: func() error { return r.layer(ctx, repo, d) },
		}
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
	return nil, fmt.Errorf("the image has no layer %s", h)
}

// lazyLayer is a layer that is brought into the store before it is read.
type lazyLayer struct {
	v1.Layer // of the store

	diffID v1.Hash
	has    func() (bool, error)
	fetch  func() error // into the store
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
	if here, err := l.has(); here || err != nil {
		return err
	}
	return l.fetch()
}

func (r *Resolver) layer(ctx context.Context, repo name.Repository, d v1.Descriptor) error {
	if here, err := r.shippedLayer(d); here || err != nil {
		return err
	}
	if err := r.Store.Room(d); err != nil {
		return fmt.Errorf("fetching layer %s of %s: %w", d.Digest, repo, err)
	}
	t := r.Progress.Start("fetching "+d.Digest.String(), progress.Bytes, d.Size)
	from, err := r.Client.Blob(ctx, repo, d)
	if err == nil {
		err = r.Store.Put(d.Digest, io.TeeReader(from, &progress.Meter{Task: t}))
		from.Close()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		t.Fail()
		err = fmt.Errorf("fetching layer %s of %s: %w", d.Digest, repo, network.Clean(err))
		if r.Shipped != nil {
			err = fmt.Errorf("%w: no bundle here has it either: name the directory that has the "+
				"bundles of the release for this platform, or make the registry reachable", err)
		}
		return err
	}
	t.Done("%s", progress.Size(d.Size))
	return nil
}

// shippedLayer brings a layer from the release that is rebuilt into the store, if it is there.
func (r *Resolver) shippedLayer(d v1.Descriptor) (bool, error) {
	if r.Shipped == nil {
		return false, nil
	}
	from, err := r.Shipped(d.Digest)
	if errors.Is(err, oci.ErrAbsent) {
		return false, nil
	}
	if err == nil {
		err = errors.Join(r.Store.Put(d.Digest, from), from.Close())
	}
	if err != nil {
		return false, fmt.Errorf("reading layer %s of the release to make again: %w", d.Digest, err)
	}
	return true, nil
}
