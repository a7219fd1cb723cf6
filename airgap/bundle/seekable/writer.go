package seekable

import (
	"context"
	"errors"
	"io"
	"runtime"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/gzipped"
)

// Cores is how many frames are compressed or read at a time; it bounds the memory.
var Cores = min(runtime.GOMAXPROCS(0), 4)

// Writer divides the bytes that it gets into zstd frames that are independent of each other.
type Writer struct {
	all *Encoders
	enc *encoder // of the current frame
	buf []byte
	// frames in their order; its capacity bounds how many are in memory
	queue   chan chan frame
	twin    *twin // nil: none
	stopped <-chan struct{}
}

// frame is raw bytes, and the zstd frame and the gzip blocks that were made of them.
type frame struct {
	enc                     *encoder
	raw, compressed, blocks []byte
}

var errStopped = errors.New("writing was stopped")

// WriteTwins writes to w what fill writes to its Writer, and then the seek table. Frames are
// compressed on several cores and written in order, by another goroutine than fill's. gz, which
// may be nil, gets the same as a gzip file: each frame is read once and compressed twice.
func WriteTwins(ctx context.Context, w, gz io.Writer, enc *Encoders, fill func(*Writer) error) error {
	g, gctx := errgroup.WithContext(ctx)
	f := &Writer{all: enc, enc: enc.compress, queue: make(chan chan frame, Cores), stopped: gctx.Done()}
	if gz != nil {
		f.twin = &twin{w: gzipped.NewWriter(gz), queue: make(chan frame, Cores), stopped: gctx.Done()}
		g.Go(f.twin.drain)
	}
	g.Go(func() error {
		defer close(f.queue)
		if err := fill(f); err != nil {
			return err
		}
		return f.EndFrame(false)
	})
	g.Go(func() error { return f.drain(w) })
	err := g.Wait()
	if ctx.Err() != nil && (err == nil || errors.Is(err, errStopped)) {
		return ctx.Err()
	}
	return err
}

// Write appends to the current frame and begins another one where it is full.
func (w *Writer) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if w.buf == nil {
			w.buf = w.enc.get()
		}
		m := min(len(p)-n, cap(w.buf)-overhead-len(w.buf))
		w.buf = append(w.buf, p[n:n+m]...)
		n += m
		if len(w.buf) == cap(w.buf)-overhead {
			if err := w.EndFrame(w.enc == w.all.store); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// EndFrame ends the current frame. The next ones are stored, not compressed, if stored is true.
func (w *Writer) EndFrame(stored bool) error {
	raw, enc := w.buf, w.enc
	w.buf, w.enc = nil, w.all.compress
	if stored {
		w.enc = w.all.store
	}
	if raw == nil {
		return nil
	}
	out := make(chan frame, 1)
	select {
	case w.queue <- out:
	case <-w.stopped:
		return errStopped
	}
	z := enc.Encoder
	if enc == w.all.compress && len(raw) < small {
		z = w.all.small
	}
	go func() {
		out <- frame{enc, raw, z.EncodeAll(raw, enc.get()), w.twin.blocks(enc, raw, enc == w.all.store)}
	}()
	return nil
}

// drain writes the frames as they come, until the queue is closed, and then the seek table.
func (w *Writer) drain(to io.Writer) error {
	defer w.twin.end()
	var current compressed
	sw, err := seekable.NewWriter(to, &current)
	if err != nil {
		return err
	}
	for out := range w.queue {
		f := <-out
		current = f.compressed
		if _, err := sw.Write(f.raw); err != nil {
			return err
		}
		if err := w.twin.add(f); err != nil {
			return err
		}
		f.enc.put(f.raw)
		f.enc.put(f.compressed)
	}
	return sw.Close()
}

// compressed is a frame that has been compressed already. As the encoder of the library's writer
// it returns the frame, so that the library only writes it and keeps the table (ADR 25).
type compressed []byte

func (c *compressed) EncodeAll(_, _ []byte) []byte { return *c }

// twin writes the gzip file of the frames that are written as zstd, in a goroutine of its own. A
// nil twin writes nothing.
type twin struct {
	w       *gzipped.Writer
	queue   chan frame
	stopped <-chan struct{}
}

// blocks makes the gzip blocks of a frame. Several goroutines may call it.
func (t *twin) blocks(enc *encoder, raw []byte, stored bool) []byte {
	switch {
	case t == nil:
		return nil
	case stored:
		return gzipped.Store(enc.get(), raw)
	}
	return gzipped.Deflate(enc.get(), raw)
}

// add passes on the next frame. Its raw bytes may be changed after that.
func (t *twin) add(f frame) error {
	if t == nil {
		return nil
	}
	t.w.Sum(f.raw)
	select {
	case t.queue <- f:
		return nil
	case <-t.stopped:
		return errStopped
	}
}

// end is called after the last frame.
func (t *twin) end() {
	if t != nil {
		close(t.queue)
	}
}

// drain writes the frames as they come, until the queue is closed, and then the end of the file.
func (t *twin) drain() error {
	for f := range t.queue {
		if _, err := t.w.Write(f.blocks); err != nil {
			return err
		}
		f.enc.put(f.blocks)
	}
	return t.w.Close()
}
