package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
)

// sender sends blobs and counts.
type sender struct {
	client *client
	open   func(v1.Hash) (io.ReadCloser, error)
	task   *progress.Task
	total  atomic.Int64 // bytes that are left to send or are sent, as far as known
	// bytes and blobs that went over the wire.
	bytes, blobs atomic.Int64
}

// send brings a blob into a repository: nothing where it is there, a mount where from has it, or
// else its bytes.
func (s *sender) send(ctx context.Context, u *upload, repo name.Repository, from name.Reference) error {
	session, err := s.client.Session(ctx, repo)
	if err != nil {
		return fmt.Errorf("pushing to %s: %w", repo, err)
	}
	b := &blob{sender: s, upload: u}
	layer, err := partial.CompressedToLayer(b)
	if err != nil {
		return err
	}
	if from != nil {
		layer = &remote.MountableLayer{Layer: layer, Reference: from}
	}
	err = s.client.Retry(ctx, func() error {
		b.rewind()
		return session.Upload(ctx, layer)
	})
	if err != nil {
		return fmt.Errorf("pushing blob %s of %s: %w", u.desc.Digest, u.image, network.Clean(err))
	}
	if n := b.read.Load(); n > 0 {
		s.bytes.Add(n)
		s.blobs.Add(1)
	} else if repo == u.repos[0] {
		// Not counted as done, which would make the rate, and the time that is left, better than
		// they are.
		s.task.Total(s.total.Add(-u.desc.Size))
	}
	return nil
}

// summary says what was done.
func (s *sender) summary(p *plan) string {
	there := 0
	for _, i := range p.images {
		if i.done {
			there++
		}
	}
	switch n := s.blobs.Load(); {
	case there == len(p.images):
		return fmt.Sprintf("%d images, all there already", there)
	case n == 0:
		return fmt.Sprintf("%d images, no blob to send", len(p.images))
	default:
		return fmt.Sprintf("%d images, %s sent in %d blobs", len(p.images), progress.Size(s.bytes.Load()), n)
	}
}

// blob is a blob on its way out.
type blob struct {
	*sender
	upload *upload
	read   atomic.Int64 // bytes that were taken for sending, in this attempt
}

func (b *blob) Digest() (v1.Hash, error)            { return b.upload.desc.Digest, nil }
func (b *blob) Size() (int64, error)                { return b.upload.desc.Size, nil }
func (b *blob) MediaType() (types.MediaType, error) { return b.upload.desc.MediaType, nil }

func (b *blob) Compressed() (io.ReadCloser, error) {
	r, err := b.open(b.upload.desc.Digest)
	if err != nil {
		return nil, network.Unreadable{Err: err}
	}
	b.rewind()
	return &counted{r, b}, nil
}

// rewind takes back what an attempt that failed has counted.
func (b *blob) rewind() { b.task.Add(-b.read.Swap(0)) }

// counted counts what is read of a blob, for the progress. It has no WriteTo, which would go
// around Read. The last bytes are given only when the source has come to its end without an
// error, so that a registry never has all of a blob that is damaged.
type counted struct {
	inner io.ReadCloser
	blob  *blob
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.inner.Read(p)
	size, now := c.blob.upload.desc.Size, c.blob.read.Load()+int64(n)
	if err == nil && n > 0 && now >= size {
		var more [1]byte
		m, end := io.ReadFull(c.inner, more[:])
		now += int64(m)
		if !errors.Is(end, io.EOF) {
			err = end
		}
	}
	if now > size {
		err = fmt.Errorf("it has more than the %d bytes that its manifest says", size)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, network.Unreadable{Err: err}
	}
	c.blob.read.Add(int64(n))
	c.blob.task.Add(int64(n))
	return n, err
}

func (c *counted) Close() error { return c.inner.Close() }
