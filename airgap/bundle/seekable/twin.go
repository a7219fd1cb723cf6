package seekable

import "github.com/slipway-dev/slipway/internal/gzipped"

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
