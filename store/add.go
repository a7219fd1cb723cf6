package store

import (
	"context"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/progress"
)

// parallel is how many layers are fetched at a time.
const parallel = 4

// Add copies an image into the store byte for byte: missing layers, configuration, manifest. It
// compares the bytes with their digests. It ends the task, whose total it sets to the missing
// bytes.
func (s *Store) Add(ctx context.Context, img v1.Image, task *progress.Task) (v1.Descriptor, error) {
	d, err := s.add(ctx, img, task)
	if err != nil {
		task.Fail()
		return v1.Descriptor{}, err
	}
	task.Done("%s", d.Digest)
	return d, nil
}

func (s *Store) add(ctx context.Context, img v1.Image, task *progress.Task) (v1.Descriptor, error) {
	m, err := img.Manifest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	var total int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	seen := map[v1.Hash]bool{}
	var missing []v1.Descriptor
	for _, l := range m.Layers {
		if !seen[l.Digest] && !s.Has(l.Digest) {
			missing = append(missing, l)
			total += l.Size
		}
		seen[l.Digest] = true
	}
	task.Total(total)
	for _, l := range missing {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			layer, err := img.LayerByDigest(l.Digest)
			if err != nil {
				return fmt.Errorf("layer %s: %w", l.Digest, err)
			}
			r, err := layer.Compressed()
			if err != nil {
				return fmt.Errorf("layer %s: %w", l.Digest, err)
			}
			defer r.Close()
			return s.Put(l.Digest, io.TeeReader(r, task))
		})
	}
	if err := g.Wait(); err != nil {
		return v1.Descriptor{}, err
	}
	config, err := img.RawConfigFile()
	if err != nil {
		return v1.Descriptor{}, err
	}
	if _, err := s.PutBytes(config); err != nil {
		return v1.Descriptor{}, err
	}
	raw, err := img.RawManifest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	h, err := s.PutBytes(raw)
	if err != nil {
		return v1.Descriptor{}, err
	}
	return v1.Descriptor{MediaType: m.MediaType, Digest: h, Size: int64(len(raw))}, nil
}
