package bundle

import (
	"errors"
	"fmt"
	"maps"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// layoutFile is the file oci-layout.
const layoutFile = `{"imageLayoutVersion":"1.0.0"}`

// revision counts changes of this code that change the bytes of a bundle, as zstd or as gzip.
const revision = 2

// Layout is the archive of a bundle: its documents, and the order of its blobs.
type Layout struct {
	Contents *Contents

	docker, index    []byte // manifest.json and index.json
	metadata, layers []v1.Descriptor
}

var errTooLarge = errors.New("make smaller bundles")

// NewLayout returns the archive of c, and completes the sums in c. Contents that are larger than
// readers accept are an error.
func NewLayout(c *Contents) (*Layout, error) {
	c.Format = Format
	c.count()
	l := &Layout{Contents: c}
	var err error
	if l.metadata, l.layers, err = c.order(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errTooLarge)
	}
	var size int64
	for _, d := range l.metadata {
		if size += d.Size; d.Size > maxBlob || size > maxHead*3/4 || len(l.metadata) > maxEntries {
			return nil, fmt.Errorf("manifests and configurations are larger than a reader accepts: %w", errTooLarge)
		}
	}
	l.docker, l.index = c.dockerManifest(), c.indexJSON(len(l.metadata))
	if err := errors.Join(oci.CheckJSON("manifest.json", l.docker, maxDocker),
		oci.CheckJSON("index.json", l.index, maxValues)); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errTooLarge)
	}
	return l, nil
}

// Size is how many bytes the blobs have.
func (l *Layout) Size() int64 {
	var n int64
	for _, d := range l.metadata {
		n += d.Size
	}
	for _, d := range l.layers {
		n += d.Size
	}
	return n
}

// Key is a text that everything follows from that decides the bytes of the file.
func (l *Layout) Key() string {
	return fmt.Sprintf("%d %d\n%s\n%s\n%s\n", revision, l.Contents.Created.Unix(), l.docker, l.index,
		marshal([]any{l.metadata, l.layers}))
}

// order returns the blobs in the order of the archive, each once. Referrers come last: no node
// needs them.
func (c *Contents) order() (metadata, layers []v1.Descriptor, err error) {
	seen, refs := once{}, 0
	for _, i := range c.Images {
		refs += len(i.Manifests)
		if i.Tree.Desc.MediaType.IsIndex() {
			metadata = seen.add(metadata, i.Tree.Desc)
		}
		for _, m := range i.Included() {
			refs += len(m.Layers)
			metadata = seen.add(metadata, m.Desc, *m.Config)
		}
		for _, m := range i.with(oci.ManifestOnly) {
			metadata = seen.add(metadata, m.Desc)
		}
	}
	for _, i := range c.Images {
		for _, r := range i.Referrers {
			small, large := r.blobs()
			refs += 1 + len(large)
			metadata = seen.add(metadata, small...)
		}
	}
	maps.Copy(seen, c.lacking())
	layers = seen.add(nil, c.AllLayers()...)
	if refs > maxRefs || len(layers) > maxCount {
		return nil, nil, errors.New("images have more layers than a reader accepts")
	}
	var size int64
	for _, l := range layers {
		if size += l.Size; size > maxLayers {
			return nil, nil, fmt.Errorf("layers have more than %d bytes", int64(maxLayers))
		}
	}
	return metadata, layers, nil
}

// once is a set of digests.
type once map[v1.Hash]bool

// add appends to list those of all that are not in the set, and adds them to it.
func (o once) add(list []v1.Descriptor, all ...v1.Descriptor) []v1.Descriptor {
	for _, d := range all {
		if !o[d.Digest] {
			o[d.Digest] = true
			list = append(list, d)
		}
	}
	return list
}
