package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
)

// sendFirst brings a blob into the first of its repositories. Where another destination on this
// registry has the blob, it is mounted from there.
func (p *push) sendFirst(ctx context.Context, u *upload) error {
	defer p.advanced()
	if u.tee != nil {
		defer u.tee.leave(p)
	}
	from := u.from
	if u.follows != nil {
		done := p.waiting()
		repo, err := u.follows.wait(ctx)
		done()
		switch {
		case err != nil:
			return err
		case repo != nil:
			from = repo.Digest(u.desc.Digest.String())
		}
	}
	if err := p.send(ctx, u, u.repos[0], from); err != nil {
		return err
	}
	u.offer.close(&u.repos[0])
	return nil
}

// send brings a blob into a repository, unless it has the blob, and mounts the blob if from has
// it.
func (p *push) send(ctx context.Context, u *upload, repo name.Repository, from name.Reference) error {
	session, err := p.Session(ctx, repo)
	if err != nil {
		return fmt.Errorf("pushing to %s: %w", repo, err)
	}
	b := &blob{push: p, upload: u, open: func() (io.ReadCloser, error) {
		if u.tee != nil {
			return u.tee.join(ctx, p)
		}
		return p.source.Open(u.desc.Digest)
	}}
	layer, err := partial.CompressedToLayer(b)
	if err != nil {
		return err
	}
	if from != nil {
		layer = &remote.MountableLayer{Layer: layer, Reference: from}
	}
	err = p.Retry(ctx, func() error {
		b.rewind()
		return session.Upload(ctx, layer)
	})
	if err != nil {
		return fmt.Errorf("pushing blob %s of %s: %w", u.desc.Digest, u.image, network.Clean(err))
	}
	if n := b.taken(); n > 0 {
		p.bytes.Add(n)
		p.blobs.Add(1)
	} else if repo == u.repos[0] {
		// Counting it as done would show a rate, and a remaining time, better than they are.
		p.task.Total(p.total.Add(-u.desc.Size))
	}
	return nil
}

// blob is a blob that is being sent, a [partial.CompressedLayer].
type blob struct {
	push   *push
	upload *upload
	open   func() (io.ReadCloser, error)

	mu   sync.Mutex
	now  *counted // of this attempt
	read int64    // bytes that were taken for sending, in this attempt
}

func (b *blob) Digest() (v1.Hash, error)            { return b.upload.desc.Digest, nil }
func (b *blob) Size() (int64, error)                { return b.upload.desc.Size, nil }
func (b *blob) MediaType() (types.MediaType, error) { return b.upload.desc.MediaType, nil }

func (b *blob) Compressed() (io.ReadCloser, error) {
	r, err := b.open()
	if err != nil {
		return nil, network.Unreadable{Err: err}
	}
	b.rewind()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = &counted{inner: r, blob: b}
	return b.now, nil
}

// rewind subtracts what an attempt that failed has counted. The transport may still read for it.
func (b *blob) rewind() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.push.task.Add(-b.read)
	b.now, b.read = nil, 0
}

// took counts bytes that were taken for an attempt.
func (b *blob) took(c *counted, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now == c {
		b.read += n
		b.push.task.Add(n)
	}
}

func (b *blob) taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read
}

// counted counts the bytes that are read of a blob, for the progress. A WriteTo would bypass
// Read. The last bytes follow only once the source has ended without an error, so that a registry
// never has all of a blob that is damaged.
type counted struct {
	inner io.ReadCloser
	blob  *blob
	read  int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.inner.Read(p)
	size, now := c.blob.upload.desc.Size, c.read+int64(n)
	if err == nil && n > 0 && now >= size {
		var more [1]byte
		m, end := io.ReadFull(c.inner, more[:])
		now += int64(m)
		if !errors.Is(end, io.EOF) {
			err = end
		}
	}
	if now > size {
		err = fmt.Errorf("it has more than the %d bytes that its manifest lists", size)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, network.Unreadable{Err: err}
	}
	c.read += int64(n)
	c.blob.took(c, int64(n))
	c.blob.push.advanced()
	return n, err
}

func (c *counted) Close() error { return c.inner.Close() }
